import { expect, test } from "vitest";
import { killMerges, killSkills, killTrees } from "./run-boundaries.ts";

test("V10: SIGKILL before and after every append of a merge: the next merge ends it, once", async () => {
  expect(await killMerges(() => true)).toBeGreaterThan(5);
});

test("V7: SIGKILL before and after every append while a work tree is made: no tree without a task, no task without its tree", async () => {
  expect(await killTrees(() => true)).toBeGreaterThan(7);
});

test("~SKF-006 ~WMB-007: SIGKILL before and after every append of a skill's run: all or nothing, and installed once", async () => {
  expect(await killSkills(() => true)).toBeGreaterThan(15);
});

test("V10: SIGKILL at every fourth place between a merge's appends: the next merge ends it, once", async () => {
  expect(await killMerges((place) => place % 4 === 1)).toBeGreaterThan(1);
});

test("V7: SIGKILL at every fourth place while a work tree is made: no tree without a task, no task without its tree", async () => {
  expect(await killTrees((place) => place % 4 === 2)).toBeGreaterThan(1);
});
