import { expect, test, vi } from "vitest";
import { searchSeeds, told } from "./search-seeds.ts";
import { teamTrial, type TeamPlant } from "./team/team-simulation.ts";

vi.setConfig({ testTimeout: 300_000 });

const range = (from: number, length: number): number[] => Array.from({ length }, (_value, index) => from + index);

test("teams under faults break no law", async () => {
  const search = await searchSeeds(await teamTrial(), range(1_000_000, 4));
  if (search.found !== undefined) throw new Error(told(search));
  expect(search.steps).toBeGreaterThan(2_000);
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
