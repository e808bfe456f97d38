import { expect, test } from "vitest";
import { killAtBoundaries } from "./task-boundaries.ts";

test("CTX-003 CTX-020: SIGKILL right before and after every append: the task ends in the same files and the same journal", async () => {
  expect(await killAtBoundaries(() => true)).toBeGreaterThan(15);
});
