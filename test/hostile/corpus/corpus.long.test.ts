/** The corpus of `corpus.test.ts` at its full size. */
import { expect, test } from "vitest";
import { runCorpus } from "./run-corpus.ts";

test("320 hostile repositories: nothing is written outside, run, sent or shown raw", { timeout: 1_800_000 }, async () => {
  const [one, other] = await Promise.all([runCorpus(0, 160), runCorpus(160, 320)]);
  for (const lane of [one, other]) expect(lane).toEqual({ repositories: 160, problems: [], calls: [], kept: [] });
});
