/** What one seed makes happen to a team: requests with their pieces, who works, what goes wrong how often. */
import type { Plan } from "../../../src/protocol/plan/index.ts";
import { pick, seededRandom } from "../../fuzz/random.ts";
import { planOfPieces } from "../../support/flow-hands.ts";
import type { Faults } from "../scenario.ts";

/** Of the plan before, beside what is new: what is still to do, as it was told; all of it, word for word; all of it, in other words. */
const HANDS_IN = ["the rest", "all", "all anew"] as const;
export type HandsIn = (typeof HANDS_IN)[number];

export interface TeamScenario {
  seed: number;
  workers: number;
  /** `addAfterMs`: when the person wants more than was said; `handsIn`: what the Architect makes of that. */
  requests: { plan: Plan; cancelAfterMs: number | null; addAfterMs: number | null; handsIn: HandsIn; asks: boolean }[];
  /** How often a builder freezes, builds something wrong, or gives up. */
  builders: { freezes: number; wrong: number; "gives up": number };
  faults: Faults;
  steps: number;
}

const SHARED = ["shared.txt", "other.txt"];

function planOf(random: () => number, of: string): Plan {
  const pieces = Array.from({ length: 1 + Math.floor(random() * 4) }, (_value, index) => ({
    after: index > 0 && random() < 0.3 ? [1 + Math.floor(random() * index)] : [],
    // Files of several pieces, so that no merge is sure to combine them.
    files: random() < 0.4 ? [pick(random, SHARED)] : [],
  }));
  return planOfPieces(pieces, of);
}

/** The plan before, changed for what the person added: one piece more. */
export function changedPlan(plan: Plan, handsIn: HandsIn, merged: readonly string[]): Plan {
  const next = plan.nodes.length + 1;
  const done = handsIn === "the rest" ? merged : [];
  const old = plan.nodes
    .filter(({ id }) => !done.includes(id))
    .map((node) => ({
      ...node,
      goal: handsIn === "all anew" ? "do it once more" : node.goal,
      after: node.after.filter((id) => !done.includes(id)),
    }));
  const added = { id: `n${next}`, title: "what was added", goal: "do it", assertions: [`A${next}`], after: [], files: ["added.txt"] };
  const nodes = [...old, added];
  const assertions = [...plan.assertions, { id: `A${next}`, text: "it is so", from: "user", shown_by: "inspection" } as const];
  return { ...plan, nodes, assertions: assertions.filter(({ id }) => nodes.some((node) => node.assertions.includes(id))) };
}

const off = (random: () => number, rate: number): number => (random() < 0.33 ? 0 : rate * (0.5 + 2 * random()));

export function teamScenarioOf(seed: number): TeamScenario {
  const random = seededRandom(seed * 2 + 1);
  // Apart, so that what a seed meant before it still means.
  const adds = seededRandom(seed * 2 + 2);
  return {
    seed,
    workers: 2 + Math.floor(random() * 4),
    requests: Array.from({ length: 1 + Math.floor(random() * 2) }, (_value, index) => ({
      plan: planOf(random, `r${index}-`),
      cancelAfterMs: random() < 0.15 ? Math.round(random() * 2_000) : null,
      addAfterMs: adds() < 0.4 ? Math.round(adds() * 2_000) : null,
      handsIn: pick(adds, HANDS_IN),
      asks: random() < 0.3,
    })),
    builders: { freezes: off(random, 0.02), wrong: off(random, 0.1), "gives up": off(random, 0.05) },
    faults: {
      crash: off(random, 0.002),
      powerLoss: off(random, 0.0005),
      pause: off(random, 0.004),
      refuse: off(random, 0.002),
      lostReply: off(random, 0.002),
      slow: off(random, 0.02),
      diskFull: off(random, 0.0005),
      failedAct: 0,
      wallJump: off(random, 0.0005),
    },
    steps: 400 + Math.floor(random() * 1_200),
  };
}

/** Everything that is one thing less. */
export function* smallerTeams(scenario: TeamScenario): Generator<TeamScenario> {
  const { requests, faults, workers, steps, builders } = scenario;
  if (steps > 50) yield { ...scenario, steps: Math.floor(steps / 2) };
  for (const kind of Object.keys(faults) as (keyof Faults)[]) if (faults[kind] > 0) yield { ...scenario, faults: { ...faults, [kind]: 0 } };
  for (const kind of Object.keys(builders) as (keyof TeamScenario["builders"])[])
    if (builders[kind] > 0) yield { ...scenario, builders: { ...builders, [kind]: 0 } };
  for (const [index, request] of requests.entries())
    if (request.addAfterMs !== null) yield { ...scenario, requests: requests.with(index, { ...request, addAfterMs: null }) };
  for (const index of requests.keys()) if (requests.length > 1) yield { ...scenario, requests: requests.toSpliced(index, 1) };
  if (workers > 1) yield { ...scenario, workers: workers - 1 };
}
