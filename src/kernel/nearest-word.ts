/** The known word a mistyped one was probably meant to be; undefined when none is near. */
import { must } from "./errors.ts";
export function nearestWord(typed: string, known: readonly string[]): string | undefined {
  const near = known
    .map((word) => ({ word, distance: word.startsWith(typed) && typed.length > 1 ? 0.5 : editDistance(typed, word) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  return near !== undefined && near.distance <= Math.max(1, Math.floor(near.word.length / 3)) ? near.word : undefined;
}

/** Letters put in, left out, exchanged, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_v, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(must(last[j]) + 1, must(row[j - 1]) + 1, must(last[j - 1]) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, must(before[j - 2]) + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return must(last[b.length]);
}
