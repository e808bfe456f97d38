/**
 * Exact replacement in text. Matching ignores only the kind of line ending; the answer to a failed
 * match names the nearest place, so that the next try can be right.
 */
import { must } from "../../kernel/index.ts";
import { lineEndingOf } from "./text-format.ts";

export interface TextEdit {
  find: string;
  replace: string;
  /** Replace every occurrence; otherwise exactly one must exist. */
  all?: boolean | undefined;
}

export interface Closest {
  line: number;
  /** The lines as they stand in the file. */
  text: string;
  why: "differs only in white space" | "most similar lines";
}

export type TextEditOutcome =
  | { kind: "edited"; raw: string; replaced: number }
  | { kind: "no_match"; edit: number; closest: Closest | undefined }
  | { kind: "ambiguous"; edit: number; lines: number[]; total: number }
  | { kind: "empty_find"; edit: number };

const MAX_REPORTED_LINES = 20;
const MAX_SCANNED_LINES = 50_000;
const MIN_SIMILARITY = 0.5;

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
      return { line: at + 1, text: block(at), why: "differs only in white space" };
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
  return best === -1 ? undefined : { line: best + 1, text: block(best), why: "most similar lines" };
}

/** Applies the edits in order; the later ones see the result of the earlier ones. */
export function editText(original: string, edits: readonly TextEdit[]): TextEditOutcome {
  const ending = lineEndingOf(original);
  const newline = ending === "crlf" || (ending === "mixed" && original.indexOf("\r\n") === original.indexOf("\n") - 1) ? "\r\n" : "\n";
  let raw = original;
  let replaced = 0;
  for (const [index, edit] of edits.entries()) {
    const find = edit.find.replaceAll("\r\n", "\n");
    if (find === "") return { kind: "empty_find", edit: index };
    const { text, toRaw } = plain(raw);
    const found = positions(text, find);
    if (found.length === 0) return { kind: "no_match", edit: index, closest: findClosest(text, find) };
    if (found.length > 1 && edit.all !== true) {
      return {
        kind: "ambiguous",
        edit: index,
        total: found.length,
        lines: found.slice(0, MAX_REPORTED_LINES).map((at) => lineOf(text, at)),
      };
    }
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
  return { kind: "edited", raw, replaced };
}
