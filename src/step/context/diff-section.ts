/** What the task has changed, in every step: a line for each file, hunks whole, the newest files first. */
import { countTokens } from "../../model/index.ts";
import type { Cut } from "../task-facts.ts";
import { shortLine } from "./fit-lines.ts";
import type { FittedSection } from "./fragment.ts";
import { quote, withoutHeadings } from "./quote.ts";

export interface Hunk {
  text: string;
  /** Lines of the file as it is now. */
  from: number;
  to: number;
}

export interface FileDiff {
  path: string;
  step: number;
  added: number;
  removed: number;
  /** None where it cannot be shown. */
  hunks: Hunk[];
}

const LINE_CHARS = 200;

/** A unified diff of one file, taken apart. */
export function hunksOf(diff: string): Pick<FileDiff, "added" | "removed" | "hunks"> {
  const [, ...parts] = diff.trimEnd().split(/^(?=@@ )/m);
  const hunks = parts.map((part) => {
    const [, start = "1", count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(part) ?? [];
    const text = part
      .trimEnd()
      .split("\n")
      .map((line) => shortLine(line, LINE_CHARS))
      .join("\n");
    return { text, from: Number(start), to: Number(start) + Number(count) - 1 };
  });
  const count = (sign: string): number => parts.flatMap((part) => part.split("\n").slice(1)).filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-"), hunks };
}

export interface DiffSection extends FittedSection {
  /** Lines that are shown, by file. */
  shown: Map<string, Hunk[]>;
}

/** Fences and what is left out. */
const HEAD_TOKENS = 24;
const NAMES_ROOM = 40;
/** Files that are only named. */
const MAX_NAMED = 12;

export function diffSection(files: readonly FileDiff[], room: number): DiffSection {
  const shown = new Map<string, Hunk[]>();
  const cuts: Cut[] = [];
  const texts: string[] = [];
  const named: string[] = [];
  let free = room - NAMES_ROOM;
  for (const file of files.toSorted((a, b) => b.step - a.step || (a.path < b.path ? -1 : 1))) {
    const head = `${file.path} (+${file.added} -${file.removed}, step ${file.step})`;
    const kept: Hunk[] = [];
    let [used, missing] = [countTokens(head) + HEAD_TOKENS, 0];
    for (const hunk of file.hunks) {
      const tokens = countTokens(hunk.text) + 2;
      if (used + tokens > free) missing += tokens;
      else {
        used += tokens;
        kept.push(hunk);
      }
    }
    if (missing > 0) cuts.push({ section: "changes", item: file.path, rule: "whole hunks left out", before: missing, after: 0 });
    if (kept.length === 0) {
      named.push(head);
      continue;
    }
    free -= used;
    shown.set(file.path, kept);
    const rest = file.hunks.filter((hunk) => !kept.includes(hunk)).map(({ from }) => from);
    const more = rest.length === 0 ? "" : `; not shown: lines ${rest.slice(0, 6).join(", ")}`;
    texts.push(withoutHeadings(`${head}${more}\n${quote(kept.map(({ text }) => text).join("\n"), "diff")}`));
  }
  if (named.length > 0) {
    const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : "";
    texts.push(`${texts.length === 0 ? "" : "Also "}changed: ${named.slice(0, MAX_NAMED).join(", ")}${more}; load_context diff shows all`);
  }
  return { name: "changes", texts, tokens: texts.reduce((sum, text) => sum + countTokens(text) + 1, 0), cuts, shown };
}
