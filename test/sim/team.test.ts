import { expect, test, vi } from "vitest";
import { searchSeeds, told } from "./search-seeds.ts";
import { teamTrial, type TeamPlant } from "./team/team-simulation.ts";

vi.setConfig({ testTimeout: 300_000 });

const range = (from: number, length: number): number[] => Array.from({ length }, (_value, index) => from + index);

/** In the last one a person wants more while it is built, and what is merged is handed in once more. */
const SEEDS = [...range(1_000_000, 3), 1_000_054];

test("teams under faults break no law", async () => {
  const trial = await teamTrial();
  const seen: string[] = [];
  const simulate: typeof trial.simulate = async (scenario) => {
    const outcome = await trial.simulate(scenario);
    seen.push(...outcome.trace);
    return outcome;
  };
  const search = await searchSeeds({ ...trial, simulate }, SEEDS);
  if (search.found !== undefined) throw new Error(told(search));
  expect(search.steps).toBeGreaterThan(2_000);
  for (const type of ["request.added", "plan.replanned"]) expect(seen.filter((line) => line.includes(type))).not.toEqual([]);
});

/** Whoever asks for the common tree gets it at once. */
const noTurns: TeamPlant = (parts) => {
  const { work } = parts.store;
  const claim: typeof work.claim = (key, holder, leaseMs) =>
    key.startsWith("integration/") ? Promise.resolve({ key, kind: "", holder, epoch: 1, leaseMs }) : work.claim(key, holder, leaseMs);
  return { ...parts, store: { ...parts.store, work: { ...work, claim } } };
};

/** Says that it is committed before it is. */
const hastyCommit: TeamPlant = (parts) => ({
  ...parts,
  trees: { ...parts.trees, commit: async (tree) => tree.head() },
});

test.each<[string, TeamPlant, string[]]>([
  ["nobody waits for its turn at the common tree", noTurns, ["one at a time in the common tree"]],
  ["a commit that is told and not made", hastyCommit, ["no fact before its effect"]],
])("a planted bug is found: %s", async (_what, plant, laws) => {
  const trial = await teamTrial(plant);
  const search = await searchSeeds({ ...trial, smaller: () => [] }, range(1, 40));
  expect(laws).toContain(search.found?.law);
});
