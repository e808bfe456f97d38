import { expect, test } from "vitest";
import { bestOf } from "./ways.ts";

const way = (number: number, lines: number, more: Partial<Parameters<typeof bestOf>[0][number]> = {}) => ({
  way: number,
  commit: `c${number}`,
  failing: [],
  lines,
  tests_set_back: [],
  verified: true,
  report: "",
  ...more,
});

test.each([
  ["the shortest of those that pass", [way(1, 9), way(2, 3), way(3, 5)], 2],
  ["fewer failing tests before fewer lines", [way(1, 9, { failing: ["a"] }), way(2, 3, { failing: ["a", "b"] })], 1],
  ["who touched its tests comes last", [way(1, 9, { failing: ["a"] }), way(2, 3, { tests_set_back: ["t"] })], 1],
  ["the first of equals", [way(1, 3), way(2, 3)], 1],
  ["what was not finished is no choice", [{ ...way(1, 1), commit: undefined }, way(2, 3)], 2],
])("of several ways is kept: %s", (_what, ways, kept) => {
  expect(bestOf(ways as Parameters<typeof bestOf>[0])?.way).toBe(kept);
});
