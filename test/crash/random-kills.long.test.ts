import { expect, test } from "vitest";
import { killTasks } from "./random-kills.ts";

test(
  "CTX-003 CTX-020: 300 kills over many tasks: same files, same journal, nothing twice, nothing lost",
  { timeout: 1_800_000 },
  async () => {
    const { kills, tasks } = await killTasks(300);
    expect(kills).toBe(300);
    expect(tasks).toBeGreaterThan(5);
  },
);

test("CTX-003 CTX-020: tasks killed at random instants end in the same files and journal as undisturbed ones (2 kills)", async () => {
  expect((await killTasks(2)).kills).toBe(2);
});
