import { expect, test } from "vitest";
import { searchSeeds, told } from "./search-seeds.ts";
import { KEPT_TASKS } from "./whole/kept-task-scenarios.ts";
import { PLANTED_IN_TASKS } from "./whole/task-plants.ts";
import { taskScenarioOf } from "./whole/task-scenario.ts";
import { openTaskLab, simulateTasks, taskTrial } from "./whole/task-simulation.ts";

/** Not those of the long form. */
const FIRST = 1_000_000;

test("four seeds of whole tasks under faults break no law", async () => {
  const search = await searchSeeds(
    { ...taskTrial(await openTaskLab()), mayDiffer: true },
    [0, 1, 2, 3].map((index) => FIRST + index),
  );
  if (search.found !== undefined) throw new Error(told(search));
  expect(search.unsteady.slice(1)).toEqual([]);
  expect(search.steps).toBeGreaterThan(1_000);
});

test.each(Object.entries(KEPT_TASKS))("what once broke a law does not any more: %s", async (_what, scenario) => {
  expect((await simulateTasks(await openTaskLab(), scenario)).violation).toBeUndefined();
});

test("the same seed gives the same trace, another seed another one", async () => {
  const lab = await openTaskLab();
  const traces: string[] = [];
  for (const seed of [3, 3, 4]) traces.push((await simulateTasks(lab, taskScenarioOf(seed))).trace.join("\n"));
  expect(traces[0]).toBe(traces[1]);
  expect(traces[0]).not.toBe(traces[2]);
});

const quick = Object.entries(PLANTED_IN_TASKS).filter(([, { isQuick }]) => isQuick);

test.each(quick)("a planted bug is found: %s", async (_what, { plants, laws }) => {
  const { simulate, scenarioOf } = taskTrial(await openTaskLab(), plants);
  const search = await searchSeeds({ scenarioOf, simulate, smaller: () => [] }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(laws).toContain(search.found?.law);
});
