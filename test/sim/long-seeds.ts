/** Half of the long form: two files, so that two cores share it. */
import { searchSeeds, told } from "./search-seeds.ts";
import { openLab, runTrial } from "./simulate.ts";

const SEEDS = 5_000;
const STEPS = 500_000;

export async function breakNothing(half: 0 | 1): Promise<{ seeds: number; isEnough: boolean }> {
  const seeds = Array.from({ length: SEEDS }, (_value, index) => 1 + half + index * 2);
  const search = await searchSeeds(runTrial(await openLab()), seeds);
  if (search.found !== undefined) throw new Error(told(search));
  return { seeds: search.seeds, isEnough: search.steps >= STEPS };
}
