import { expect, test } from "vitest";
import { mergeRandomFunctions, mergeRandomObjects } from "../../../test/support/merge-fuzz.ts";

const RUNS = 2_000;

test(`CCY-042: ${RUNS} random objects merged, none wrong`, async () => {
  expect((await mergeRandomObjects(RUNS)).clean).toBeGreaterThan(RUNS / 2);
});

test(`CCY-042: ${RUNS} random sets of functions merged, none wrong`, async () => {
  expect((await mergeRandomFunctions(RUNS)).clean).toBeGreaterThan(RUNS / 2);
});
