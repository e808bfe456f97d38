/**
 * Exact replacement in text. Matching ignores the kind of line ending, and, where nothing else fits, the kind of
 * space; that is said. The answer to a failed match names the nearest place and what cannot be seen in it, so that
 * the next try can be right.
 */
import { must } from "../../kernel/index.ts";
import { lineEndingOf } from "./text-format.ts";

export type TextEdit =
  | {
      find: string;
      replace: string;
      /** Replace every occurrence; otherwise exactly one must exist. */
      all?: boolean | undefined;
    }
  /** New lines after a line, 0 being the top; absent: at the end. */
  | { insert: string; after?: number | undefined };

export interface Closest {
  line: number;
  /** The lines as they stand in the file. */
  text: string;
  why: "differs only in white space" | "most similar lines";
  /** Characters in it that cannot be seen, or look like others; absent: none. */
  unseen?: string[];
}

export type TextEditOutcome =
  | { kind: "edited"; raw: string; replaced: number; notes: string[] }
  | { kind: "no_match"; edit: number; closest: Closest | undefined }
  | { kind: "ambiguous"; edit: number; lines: number[]; total: number }
  | { kind: "empty_find"; edit: number }
  | { kind: "no_line"; edit: number; lines: number };

const MAX_REPORTED_LINES = 20;
const MAX_SCANNED_LINES = 50_000;
const MIN_SIMILARITY = 0.5;
const MAX_UNSEEN = 5;

/** Text with `\n` only, and the way back to positions in the original. */
function plain(raw: string): { text: string; toRaw: (at: number) => number } {
  if (!raw.includes("\r\n")) return { text: raw, toRaw: (at) => at };
  const removed: number[] = [];
  for (let at = raw.indexOf("\r\n"), n = 0; at !== -1; at = raw.indexOf("\r\n", at + 2), n += 1) removed.push(at - n);
  return {
    text: raw.replaceAll("\r\n", "\n"),
    toRaw: (at) => {
      let low = 0;
      let high = removed.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (must(removed[middle]) < at) low = middle + 1;
        else high = middle;
      }
      return at + low;
    },
  };
}

function positions(text: string, find: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length)) found.push(at);
  return found;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < at; i = text.indexOf("\n", i + 1)) line += 1;
  return line;
}

/** Spaces of other kinds than the one on the keyboard; each is one character, so places stay the same. */
const ODD_SPACES = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/gu;
const UNSEEN = /[\u00A0\u00AD\u1680\u2000-\u200F\u2028-\u202F\u205F-\u2064\u2066-\u206F\u3000\uFEFF]/gu;
const NAMES: Readonly<Record<string, string>> = {
  "\u00A0": "no-break space",
  "\u00AD": "soft hyphen",
  "\u200B": "zero width space",
  "\u200C": "zero width non-joiner",
  "\u200D": "zero width joiner",
  "\u200E": "left-to-right mark",
  "\u200F": "right-to-left mark",
  "\u202F": "narrow no-break space",
  "\u3000": "ideographic space",
  "\uFEFF": "byte order mark",
};

function nameOf(char: string): string {
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return NAMES[char] === undefined ? code : `${NAMES[char]} (${code})`;
}

/** What cannot be seen in some lines, with where it stands. */
function unseenIn(text: string, firstLine: number): Pick<Closest, "unseen"> {
  const unseen = text
    .split("\n")
    .flatMap((line, i) =>
      [...line.matchAll(UNSEEN)].map((found) => `${nameOf(found[0])} at line ${firstLine + i}, column ${found.index + 1}`),
    )
    .slice(0, MAX_UNSEEN);
  return unseen.length === 0 ? {} : { unseen };
}

const squeeze = (line: string): string => line.replace(/\s+/gu, " ").trim();

function bigrams(line: string): Map<string, number> {
  const grams = new Map<string, number>();
  for (let i = 0; i + 1 < line.length; i += 1) {
    const gram = line.slice(i, i + 2);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}

function similarity(a: Map<string, number>, b: string): number {
  let size = 0;
  for (const n of a.values()) size += n;
  const other = bigrams(b);
  let shared = 0;
  let otherSize = 0;
  for (const [gram, n] of other) {
    otherSize += n;
    shared += Math.min(n, a.get(gram) ?? 0);
  }
  return size + otherSize === 0 ? 0 : (2 * shared) / (size + otherSize);
}

function findClosest(text: string, find: string): Closest | undefined {
  const lines = text.split("\n").slice(0, MAX_SCANNED_LINES);
  const wanted = find.split("\n");
  while (wanted.length > 1 && squeeze(must(wanted.at(-1))) === "") wanted.pop();
  while (wanted.length > 1 && squeeze(must(wanted[0])) === "") wanted.shift();
  const squeezed = wanted.map(squeeze);
  const block = (at: number): string => lines.slice(at, at + wanted.length).join("\n");
  const plainLines = lines.map(squeeze);
  const first = must(squeezed[0]);
  if (first === "") return undefined;
  for (let at = 0; at + squeezed.length <= lines.length; at += 1) {
    if (plainLines[at] === first && squeezed.every((line, i) => plainLines[at + i] === line)) {
      return { line: at + 1, text: block(at), why: "differs only in white space", ...unseenIn(block(at), at + 1) };
    }
  }
  const grams = bigrams(first);
  let best = -1;
  let bestScore = MIN_SIMILARITY;
  for (let at = 0; at < plainLines.length; at += 1) {
    const score = similarity(grams, must(plainLines[at]));
    if (score > bestScore) {
      best = at;
      bestScore = score;
    }
  }
  if (best === -1) return undefined;
  return { line: best + 1, text: block(best), why: "most similar lines", ...unseenIn(block(best), best + 1) };
}

/** Where the text stands; with spaces of another kind where it does not stand as it is. */
function placesOf(text: string, find: string): { found: number[]; note: string | undefined } {
  const found = positions(text, find);
  if (found.length > 0) return { found, note: undefined };
  const level = (one: string): string => one.replaceAll(ODD_SPACES, " ");
  const loose = positions(level(text), level(find));
  const first = loose[0];
  if (first === undefined) return { found: [], note: undefined };
  const kinds = new Set(`${text.slice(first, first + find.length)}${find}`.match(ODD_SPACES));
  const line = lineOf(text, first);
  return { found: loose, note: `line ${line}: matched although the spaces differ in kind: ${[...kinds].map(nameOf).join(", ")}` };
}

/** At the given line, or at the end; a last line without a line end gets one first. */
function inserted(raw: string, text: string, after: number | undefined, newline: string): string | { lines: number } {
  const added = `${text.replace(/\n$/, "").replaceAll("\n", newline)}${newline}`;
  const whole = raw === "" || raw.endsWith("\n") ? raw : `${raw}${newline}`;
  const lines = whole.split("\n").length - 1;
  if (after === undefined) return whole + added;
  if (after > lines) return { lines };
  let at = 0;
  for (let line = 0; line < after; line += 1) at = whole.indexOf("\n", at) + 1;
  return whole.slice(0, at) + added + whole.slice(at);
}

/** Applies the edits in order; the later ones see the result of the earlier ones. */
export function editText(original: string, edits: readonly TextEdit[]): TextEditOutcome {
  const ending = lineEndingOf(original);
  const newline = ending === "crlf" || (ending === "mixed" && original.indexOf("\r\n") === original.indexOf("\n") - 1) ? "\r\n" : "\n";
  let raw = original;
  let replaced = 0;
  const notes: string[] = [];
  for (const [index, edit] of edits.entries()) {
    if ("insert" in edit) {
      const next = inserted(raw, edit.insert.replaceAll("\r\n", "\n"), edit.after, newline);
      if (typeof next !== "string") return { kind: "no_line", edit: index, lines: next.lines };
      raw = next;
      replaced += 1;
      continue;
    }
    const find = edit.find.replaceAll("\r\n", "\n");
    if (find === "") return { kind: "empty_find", edit: index };
    const { text, toRaw } = plain(raw);
    const { found, note } = placesOf(text, find);
    if (found.length === 0) return { kind: "no_match", edit: index, closest: findClosest(text, find) };
    if (found.length > 1 && edit.all !== true) {
      return {
        kind: "ambiguous",
        edit: index,
        total: found.length,
        lines: found.slice(0, MAX_REPORTED_LINES).map((at) => lineOf(text, at)),
      };
    }
    if (note !== undefined) notes.push(note);
    const replacement = edit.replace.replaceAll("\r\n", "\n").replaceAll("\n", newline);
    let out = "";
    let from = 0;
    for (const at of found) {
      out += raw.slice(from, toRaw(at)) + replacement;
      from = toRaw(at + find.length);
    }
    raw = out + raw.slice(from);
    replaced += found.length;
  }
  return { kind: "edited", raw, replaced, notes };
}
