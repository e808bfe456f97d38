/** Runs many seeds; the first that breaks a law is shrunk and told whole, ready to be kept. */
import { scenarioOf, type Scenario } from "./scenario.ts";
import { shrink } from "./shrink.ts";
import { simulate, type Lab } from "./simulate.ts";
import type { Plants } from "./lives.ts";
import type { Violation } from "./witness.ts";

export type Search = { seeds: number; steps: number } & ({ found: undefined } | { found: Violation; scenario: Scenario; trace: string[] });

export async function searchSeeds(lab: Lab, seeds: Iterable<number>, plants: Plants = {}): Promise<Search> {
  let steps = 0;
  let tried = 0;
  for (const seed of seeds) {
    const scenario = scenarioOf(seed);
    const outcome = await simulate(lab, scenario, plants);
    steps += outcome.steps;
    tried += 1;
    if (outcome.violation === undefined) continue;
    const { law } = outcome.violation;
    const small = await shrink(scenario, law, async (candidate) => (await simulate(lab, candidate, plants)).violation?.law);
    const { trace, violation } = await simulate(lab, small, plants);
    return { seeds: tried, steps, found: violation ?? outcome.violation, scenario: small, trace };
  }
  return { seeds: tried, steps, found: undefined };
}

/** For whoever reads the failure: what to keep in `kept-scenarios.ts`, and what happened. */
export function told(search: Search): string {
  if (search.found === undefined) return "";
  const { found, scenario, trace } = search;
  return [`${found.law}: ${found.what}`, `keep: ${JSON.stringify(scenario)}`, ...trace.slice(-60)].join("\n");
}
