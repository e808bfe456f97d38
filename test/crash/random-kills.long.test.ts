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
