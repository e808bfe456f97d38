import { expect, test } from "vitest";
import { PLANTED } from "./plants.ts";
import { searchSeeds } from "./search-seeds.ts";
import { openLab, runTrial, simulate } from "./simulate.ts";

test.each(Object.entries(PLANTED))("a planted bug is found within 1,000 seeds and shrunk: %s", async (_what, { plants, laws }) => {
  const lab = await openLab();
  const search = await searchSeeds(
    runTrial(lab, plants),
    Array.from({ length: 1_000 }, (_value, index) => index + 1),
  );
  if (search.found === undefined) throw new Error("it was not found");
  expect(laws).toContain(search.found.law);
  expect((await simulate(lab, search.scenario, plants)).violation).toEqual(search.found);
});
