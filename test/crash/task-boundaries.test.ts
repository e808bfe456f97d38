import { expect, test } from "vitest";
import { killAtBoundaries } from "./task-boundaries.ts";

test("16 CTX-003 CTX-020: SIGKILL before or after an append, at every seventh place: the task ends in the same files and the same journal", async () => {
  expect(await killAtBoundaries((place) => place % 7 === 1)).toBeGreaterThan(1);
});
