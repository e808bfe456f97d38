import { expect, test } from "vitest";
import { KEPT } from "./kept-scenarios.ts";
import { PLANTED } from "./plants.ts";
import { scenarioOf } from "./scenario.ts";
import { searchSeeds, told } from "./search-seeds.ts";
import { openLab, runTrial, simulate } from "./simulate.ts";

/** Not those of the long form. */
const FIRST = 1_000_000;
const range = (from: number, length: number): number[] => Array.from({ length }, (_value, index) => from + index);

test("fifty seeds of faults break no law", async () => {
  const search = await searchSeeds(runTrial(await openLab()), range(FIRST, 50));
  if (search.found !== undefined) throw new Error(told(search));
  expect(search.steps).toBeGreaterThan(5_000);
});

test.each(Object.entries(KEPT))("what once broke a law does not any more: %s", async (_what, scenario) => {
  expect((await simulate(await openLab(), scenario)).violation).toBeUndefined();
});

test("the same seed gives the same trace, another seed another one", async () => {
  const lab = await openLab();
  const traces: string[] = [];
  for (const seed of [11, 11, 12]) traces.push((await simulate(lab, scenarioOf(seed))).trace.join("\n"));
  expect(traces[0]).toBe(traces[1]);
  expect(traces[0]).not.toBe(traces[2]);
});

test.each(Object.entries(PLANTED))("a planted bug is found: %s", async (_what, { plants, laws, seed }) => {
  const { violation } = await simulate(await openLab(), scenarioOf(seed), plants);
  expect(laws).toContain(violation?.law);
});

test("what breaks a law is shrunk to less that breaks the same law", async () => {
  const lab = await openLab();
  const { plants } = PLANTED["a fact before its effect"] as (typeof PLANTED)[string];
  const search = await searchSeeds(runTrial(lab, plants), range(1, 10));
  if (search.found === undefined) throw new Error("it was not found");
  expect(search.scenario).toMatchObject({ workers: 1, runs: [{ parts: [{ do: "effect" }] }], faults: { crash: 0, slow: 0, refuse: 0 } });
  expect((await simulate(lab, search.scenario, plants)).violation).toEqual(search.found);
});
