import fc from "fast-check";
import { expect, test } from "vitest";
import { equalPairs } from "./equal-pairs.ts";
import { movedRange } from "./moved-range.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** The textbook recursion: how many pairs there can be at most. */
function most(a: readonly string[], b: readonly string[]): number {
  const known = new Map<string, number>();
  const from = (i: number, j: number): number => {
    if (i === a.length || j === b.length) return 0;
    const key = `${i},${j}`;
    const value = known.get(key) ?? (a[i] === b[j] ? 1 + from(i + 1, j + 1) : Math.max(from(i + 1, j), from(i, j + 1)));
    known.set(key, value);
    return value;
  };
  return from(0, 0);
}

test("equal items are paired in order, as many as there can be", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 24 });
  fc.assert(
    fc.property(list, list, (a, b) => {
      const pairs = equalPairs(a, b);
      expect(pairs.map(([i]) => a[i])).toEqual(pairs.map(([, j]) => b[j]));
      for (const side of [0, 1] as const)
        expect(pairs.map((pair) => pair[side])).toEqual([...new Set(pairs.map((pair) => pair[side]))].toSorted((x, y) => x - y));
      expect(pairs).toHaveLength(most(a, b));
    }),
    { numRuns: 300 },
  );
});

test("10: two edits far apart in a long file are two hunks, however long the file", () => {
  const lines = Array.from({ length: 4_300 }, (_v, i) => `line ${i}`);
  const after = lines.with(3, "first").toSpliced(4_200, 1, "second", "third");
  const diff = unifiedDiff(`${lines.join("\n")}\n`, `${after.join("\n")}\n`, { before: "a/x", after: "b/x" });
  expect(diff.split("\n").filter((line) => line.startsWith("@@"))).toEqual(["@@ -1,7 +1,7 @@", "@@ -4198,7 +4198,8 @@"]);
  expect(diff.split("\n").length).toBeLessThan(25);
});

test("lists with nothing in common but single items are paired at those", () => {
  const a = Array.from({ length: 6_000 }, (_v, i) => (i === 3_000 ? "same" : `a${i}`));
  const b = Array.from({ length: 6_000 }, (_v, i) => (i === 10 ? "same" : `b${i}`));
  expect(equalPairs(a, b)).toEqual([[3_000, 10]]);
});

test("11: a stretch of lines moves with what was written above it and grows with what was written in it", () => {
  const old = Array.from({ length: 20 }, (_v, i) => `line ${i + 1}`);
  const moved = (now: string[]) => movedRange(old.join("\n"), now.join("\n"))({ from: 8, to: 12 });
  expect(moved(["new", "new", ...old])).toEqual({ from: 10, to: 14 });
  expect(moved(old.toSpliced(9, 1, "x", "y", "z"))).toEqual({ from: 8, to: 14 });
  expect(moved(old.toSpliced(7, 1, "x", "y"))).toEqual({ from: 8, to: 13 });
  expect(moved(old.toSpliced(15, 0, "below"))).toEqual({ from: 8, to: 12 });
  expect(moved(old.toSpliced(6, 7))).toBeUndefined();
});
