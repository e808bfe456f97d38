import { expect, test } from "vitest";
import { killTasks } from "./random-kills.ts";

test("CTX-003 CTX-020: tasks killed at random instants end in the same files and journal as undisturbed ones (2 kills)", async () => {
  expect((await killTasks(2)).kills).toBe(2);
});
