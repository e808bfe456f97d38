import { expect, test } from "vitest";
import { searchSeeds, told } from "./search-seeds.ts";
import { PLANTED_IN_TASKS } from "./whole/task-plants.ts";
import { taskScenarioOf } from "./whole/task-scenario.ts";
import { openTaskLab, simulateTasks, taskTrial } from "./whole/task-simulation.ts";

const range = (length: number): number[] => Array.from({ length }, (_value, index) => index + 1);

/**
 * Git and the search program are real here. Once in about five hundred seeds one broke a law and did not do so again;
 * why is not known. More than this is a failure.
 */
const MOST_UNSTEADY = 2;

test("60 seeds and thirty thousand steps of whole tasks break no law", async () => {
  const search = await searchSeeds({ ...taskTrial(await openTaskLab()), mayDiffer: true }, range(60));
  if (search.found !== undefined) throw new Error(told(search));
  expect(search.unsteady.slice(MOST_UNSTEADY)).toEqual([]);
  expect(search.steps).toBeGreaterThan(30_000);
});

test.each(Object.entries(PLANTED_IN_TASKS))("a planted bug is found within 1,000 seeds: %s", async (_what, { plants, laws }) => {
  const { simulate, scenarioOf } = taskTrial(await openTaskLab(), plants);
  // Without a way to make it smaller: that takes longer than to find it.
  const search = await searchSeeds({ scenarioOf, simulate, smaller: () => [] }, range(1_000));
  expect(laws).toContain(search.found?.law);
});

const quick = Object.entries(PLANTED_IN_TASKS).filter(([, { isQuick }]) => isQuick);

test.each(quick)("a planted bug is found: %s", async (_what, { plants, laws }) => {
  const { simulate, scenarioOf } = taskTrial(await openTaskLab(), plants);
  const search = await searchSeeds({ scenarioOf, simulate, smaller: () => [] }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(laws).toContain(search.found?.law);
});

test("the same seed gives the same trace, another seed another one", async () => {
  const lab = await openTaskLab();
  const traces: string[] = [];
  for (const seed of [3, 3, 4]) traces.push((await simulateTasks(lab, taskScenarioOf(seed))).trace.join("\n"));
  expect(traces[0]).toBe(traces[1]);
  expect(traces[0]).not.toBe(traces[2]);
});
