import { expect, test } from "vitest";
import { searchSeeds, told } from "./search-seeds.ts";
import { KEPT_TASKS } from "./whole/kept-task-scenarios.ts";
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
