/** What one seed makes happen to a team: requests with their pieces, who works, what goes wrong how often. */
import type { Plan } from "../../../src/protocol/plan/index.ts";
import { pick, seededRandom } from "../../fuzz/random.ts";
import { planOfPieces } from "../../support/flow-hands.ts";
import type { Faults } from "../scenario.ts";

export interface TeamScenario {
  seed: number;
  workers: number;
  requests: { plan: Plan; cancelAfterMs: number | null; asks: boolean }[];
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

const off = (random: () => number, rate: number): number => (random() < 0.33 ? 0 : rate * (0.5 + 2 * random()));

export function teamScenarioOf(seed: number): TeamScenario {
  const random = seededRandom(seed * 2 + 1);
  return {
    seed,
    workers: 2 + Math.floor(random() * 4),
    requests: Array.from({ length: 1 + Math.floor(random() * 2) }, (_value, index) => ({
      plan: planOf(random, `r${index}-`),
      cancelAfterMs: random() < 0.15 ? Math.round(random() * 2_000) : null,
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
  for (const index of requests.keys()) if (requests.length > 1) yield { ...scenario, requests: requests.toSpliced(index, 1) };
  if (workers > 1) yield { ...scenario, workers: workers - 1 };
}
