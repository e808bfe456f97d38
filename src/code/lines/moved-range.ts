/** Where a stretch of lines stands after a change. What was written at its first or last line belongs to it. */
import { equalPairs } from "./equal-pairs.ts";
import { linesOf } from "./lines-of.ts";

interface Range {
  /** Lines from 1, both included. */
  from: number;
  to: number;
}

/** Undefined: nothing is left of it. */
export function movedRange(before: string, after: string): (range: Range) => Range | undefined {
  const [old, now] = [linesOf(before), linesOf(after)];
  const pairs = equalPairs(old, now);
  const at = new Map(pairs.map(([i, j]) => [i + 1, j + 1]));
  return ({ from, to }) => {
    const above = pairs.findLast(([i]) => i + 1 < from);
    const below = pairs.find(([i]) => i + 1 > to);
    const moved = {
      from: at.get(from) ?? (above === undefined ? 1 : above[1] + 2),
      to: at.get(Math.min(to, old.length)) ?? (below === undefined ? now.length : below[1]),
    };
    return moved.to < moved.from ? undefined : moved;
  };
}
