import { expect, test } from "vitest";
import { mergeMarked } from "../../../test/support/merge-marks/run.ts";

const RUNS = 15_000;

test(`V0: ${RUNS} random merges in ten languages: nothing lost, doubled, moved or guessed`, async () => {
  const run = await mergeMarked(1_000_000, RUNS);
  expect(run.wrong).toEqual([]);
  expect(run.merges).toBe(RUNS);
});
