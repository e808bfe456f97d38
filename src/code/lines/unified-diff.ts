/** Two texts as a unified diff, the form every tool and every reviewer knows. */
import { must } from "../../kernel/index.ts";
import { equalPairs } from "./equal-pairs.ts";

const CONTEXT = 3;
const NO_NEWLINE = "\\ No newline at end of file";

interface Edit {
  sign: " " | "-" | "+";
  line: string;
}

/** Lines with their ends, so that a missing last newline is a difference. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  for (const [x, y] of [...equalPairs(before, after), [before.length, after.length] as const]) {
    for (; i < x; i += 1) edits.push({ sign: "-", line: must(before[i]) });
    for (; j < y; j += 1) edits.push({ sign: "+", line: must(after[j]) });
    if (x < before.length) edits.push({ sign: " ", line: must(before[x]) });
    i = x + 1;
    j = y + 1;
  }
  return edits;
}

const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`);

/** Empty when nothing differs. */
export function unifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) return "";
  const edits = editsOf(linesOf(before), linesOf(after));
  const changed = edits.flatMap((edit, at) => (edit.sign === " " ? [] : [at]));
  const out = [`--- ${names.before}`, `+++ ${names.after}`];
  let oldLine = 1;
  let newLine = 1;
  let done = 0;
  for (let k = 0; k < changed.length;) {
    let last = k;
    while (last + 1 < changed.length && must(changed[last + 1]) - must(changed[last]) <= 2 * CONTEXT) last += 1;
    const from = Math.max(0, must(changed[k]) - CONTEXT);
    const to = Math.min(edits.length, must(changed[last]) + CONTEXT + 1);
    // What lies between two hunks is the same on both sides.
    oldLine += from - done;
    newLine += from - done;
    const part = edits.slice(from, to);
    const olds = part.filter(({ sign }) => sign !== "+").length;
    const news = part.filter(({ sign }) => sign !== "-").length;
    out.push(`@@ -${range(oldLine, olds)} +${range(newLine, news)} @@`);
    for (const { sign, line } of part) {
      out.push(`${sign}${line.replace(/\n$/, "")}`);
      if (!line.endsWith("\n")) out.push(NO_NEWLINE);
    }
    oldLine += olds;
    newLine += news;
    done = to;
    k = last + 1;
  }
  return `${out.join("\n")}\n`;
}
