import { expect, test } from "vitest";
import { searchSeeds, told } from "./search-seeds.ts";
import { teamTrial } from "./team/team-simulation.ts";

test("100,000 steps of teams under faults break no law", { timeout: 3_600_000 }, async () => {
  let [steps, seed] = [0, 1];
  const trial = await teamTrial();
  for (; steps < 100_000; seed += 10) {
    const search = await searchSeeds(
      trial,
      Array.from({ length: 10 }, (_value, index) => seed + index),
    );
    if (search.found !== undefined) throw new Error(told(search));
    steps += search.steps;
  }
  expect(steps).toBeGreaterThanOrEqual(100_000);
});
