import { expect, test } from "vitest";
import { wrongWith } from "../../../test/support/merge-marks/judge.ts";
import { markedCase, mergeMarked } from "../../../test/support/merge-marks/run.ts";

const RUNS = 1_000;

test(`V0: ${RUNS} random merges in ten languages: nothing lost, doubled, moved or guessed, and more clean ones than git has`, async () => {
  const run = await mergeMarked(1, RUNS);
  expect(run.wrong).toEqual([]);
  expect(run.merges).toBe(RUNS);
  expect(run.clean.structure).toBeGreaterThan(RUNS / 20);
  expect(run.clean.structure + run.clean.lines).toBeGreaterThan(run.git.clean);
});

test("the judge of marks finds what is planted: one side's text, a mark lost, a mark twice, two lines exchanged", () => {
  const found = { side: 0, lost: 0, twice: 0, exchanged: 0 };
  const SEEDS = 200;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const made = markedCase(seed);
    const { ours, base } = made.texts;
    // Only one side changed something, so its text is right as it is.
    const plain = {
      ...made,
      theirs: { ...made.ours, program: made.base, taken: new Set<string>() },
      texts: { base, ours, theirs: base },
    };
    expect(wrongWith(plain, ours)).toBeUndefined();
    if (ours !== base && wrongWith(plain, base) !== undefined) found.side += 1;
    const lines = ours.split("\n");
    const at = lines.findIndex((line) => /m\d+/u.test(line));
    if (wrongWith(plain, lines.toSpliced(at, 1).join("\n")) !== undefined) found.lost += 1;
    if (wrongWith(plain, lines.toSpliced(at, 0, lines[at] as string).join("\n")) !== undefined) found.twice += 1;
    const next = lines.findIndex((line, i) => i > at && /m\d+/u.test(line));
    const exchanged = lines.with(at, lines[next] ?? "").with(next === -1 ? at : next, lines[at] as string);
    if (next === -1 || wrongWith(plain, exchanged.join("\n")) !== undefined) found.exchanged += 1;
  }
  expect(found).toMatchObject({ lost: SEEDS, twice: SEEDS });
  // A note and an attribute of one thing may stand in either order.
  expect(found.exchanged).toBeGreaterThan(SEEDS * 0.9);
  expect(found.side).toBeGreaterThan(SEEDS * 0.8);
});
