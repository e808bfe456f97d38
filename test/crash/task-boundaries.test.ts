import { expect, test } from "vitest";
import { killAtBoundaries } from "./task-boundaries.ts";

test("16 CTX-003 CTX-020: SIGKILL before or after an append, at every third place: the task ends in the same files and the same journal", async () => {
  expect(await killAtBoundaries((place) => place % 3 === 1)).toBeGreaterThan(5);
});
