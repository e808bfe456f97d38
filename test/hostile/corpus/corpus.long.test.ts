/** The corpus of `corpus.test.ts` at its full size. */
import { expect, test } from "vitest";
import { runCorpus } from "./run-corpus.ts";

test("320 hostile repositories: nothing is written outside, run, sent or shown raw", { timeout: 1_200_000 }, async () => {
  expect(await runCorpus(100, 420)).toEqual({ repositories: 320, problems: [], calls: [], kept: [] });
});
