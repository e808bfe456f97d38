/**
 * A page of code cut at the boundaries of its definitions (CTX-014): those the work is about stay whole, the
 * others are reduced to their first line, with their numbers, so that any of them can be brought back.
 */
import { must } from "../../kernel/index.ts";
import { countTokens } from "../../model/index.ts";
import type { Definition } from "../../code/index.ts";
import { shortLine } from "./fit-lines.ts";

const HEADER_CHARS = 120;
const AROUND_FOCUS = 6;
/** Marks of what is left out. */
const MARKS = 40;
const SMALL_DEFINITION = 8;
/** A mark is as long as this many lines. */
const SMALL_GAP = 2;

/** The innermost definition around a line. */
function around(line: number, definitions: readonly Definition[]): Definition | undefined {
  return definitions.filter((one) => one.from <= line && line <= one.to).toSorted((a, b) => a.to - a.from - (b.to - b.from))[0];
}

/**
 * `definitions` and `focus` count the page's lines from 1. Undefined when there is nothing to cut at, or not
 * even the first lines fit.
 */
export function excerpt(numbered: string, definitions: readonly Definition[], focus: readonly number[], room: number): string | undefined {
  const lines = numbered.split("\n");
  const known = definitions.filter((one) => one.to <= lines.length);
  if (known.length === 0) return undefined;
  const kept = new Map<number, string>();
  let used = MARKS;
  const keep = (from: number, to: number): boolean => {
    const part = lines
      .slice(from - 1, to)
      .map((text, i) => [from + i, text] as const)
      .filter(([line, text]) => kept.get(line) !== text);
    const cost = part.reduce((sum, [, text]) => sum + countTokens(text) + 1, 0);
    if (used + cost > room) return false;
    used += cost;
    for (const [line, text] of part) kept.set(line, text);
    return true;
  };
  for (const { from } of known) {
    const header = shortLine(must(lines[from - 1]), HEADER_CHARS);
    used += countTokens(header) + 1;
    if (used > room) return undefined;
    kept.set(from, header);
  }
  for (const line of focus) {
    const whole = around(line, known);
    if (whole !== undefined && keep(whole.from, whole.to)) continue;
    keep(Math.max(1, line - AROUND_FOCUS), Math.min(lines.length, line + AROUND_FOCUS));
  }
  // Small definitions say more than their first line and cost little; a mark is no shorter than a line or two.
  for (const { from, to } of known) if (to > from && to - from < SMALL_DEFINITION) keep(from, to);
  for (let line = 1; line <= lines.length; line += 1) {
    let end = line;
    while (end <= lines.length && !kept.has(end)) end += 1;
    if (end > line && end - line <= SMALL_GAP) keep(line, end - 1);
    line = Math.max(line, end - 1);
  }
  return render(lines, kept);
}

function render(lines: readonly string[], kept: ReadonlyMap<number, string>): string {
  const out: string[] = [];
  let omitted = 0;
  for (let line = 1; line <= lines.length + 1; line += 1) {
    const text = kept.get(line);
    if (text === undefined && line <= lines.length) {
      omitted += 1;
      continue;
    }
    if (omitted > 0) out.push(`… ${omitted} lines omitted …`);
    omitted = 0;
    if (text !== undefined) out.push(text);
  }
  return out.join("\n");
}

/** Lines of a page that the failing checks name, as `path:12` or `path(12`, and first lines of what the goal names. */
export function focusOf(
  page: { path: string; from: number; to: number },
  numbered: string,
  said: { errors: string; goal: string },
): number[] {
  const name = must(page.path.split("/").at(-1));
  const found = new Set<number>();
  for (const match of said.errors.matchAll(new RegExp(`${RegExp.escape(name)}(?:[:(]|", line )(\\d+)`, "g"))) {
    const line = Number(match[1]);
    if (line >= page.from && line <= page.to) found.add(line - page.from + 1);
  }
  const words = new Set(
    said.goal.match(/[A-Za-z_$][\w$]{3,}/g)?.filter((word) => /[A-Z_$]/.test(word.slice(1)) || said.goal.includes(`${word}(`)) ?? [],
  );
  for (const [i, text] of numbered.split("\n").entries())
    if (
      [...words].some((word) =>
        new RegExp(`\\b(?:function|class|interface|type|const|def|func|fn|struct|trait|enum)\\s+${RegExp.escape(word)}\\b`).test(text),
      )
    )
      found.add(i + 1);
  return [...found].slice(0, 12);
}
