import { expect, test } from "vitest";
import { killTasks } from "./random-kills.ts";

test(
  "CTX-003 CTX-020: tasks killed at random instants end in the same files and journal as undisturbed ones (8 kills)",
  { timeout: 120_000 },
  async () => {
    expect((await killTasks(8)).kills).toBe(8);
  },
);
