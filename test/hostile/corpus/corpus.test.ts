/**
 * The attacker has: a whole repository, delivered as a clone or an archive, in which hostile settings, links, pipes,
 * git configuration, names and texts are combined. He wants any of: a write outside, a command nobody asked for, a
 * key, a file of the victim's in a request, the victim's terminal.
 */
import { expect, test } from "vitest";
import { runCorpus } from "./run-corpus.ts";

test("a sample of hostile repositories: nothing is written outside, run, sent or shown raw", { timeout: 300_000 }, async () => {
  expect(await runCorpus(0, 3)).toEqual({ repositories: 3, problems: [], calls: [], kept: [] });
});
