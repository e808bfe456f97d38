/** Runs many seeds; the first that breaks a law is shrunk and told whole, ready to be kept. */
import { shrink } from "./shrink.ts";
import type { Violation } from "./witness.ts";

export interface Outcome {
  steps: number;
  trace: string[];
  violation: Violation | undefined;
}

/** What is done with a seed, and how what it makes happen becomes less. */
export interface Trial<S> {
  scenarioOf: (seed: number) => S;
  simulate: (scenario: S) => Promise<Outcome>;
  smaller: (scenario: S) => Iterable<S>;
}

export type Search<S> = { seeds: number; steps: number } & ({ found: undefined } | { found: Violation; scenario: S; trace: string[] });

export async function searchSeeds<S>({ scenarioOf, simulate, smaller }: Trial<S>, seeds: Iterable<number>): Promise<Search<S>> {
  let steps = 0;
  let tried = 0;
  for (const seed of seeds) {
    const scenario = scenarioOf(seed);
    const outcome = await simulate(scenario);
    steps += outcome.steps;
    tried += 1;
    if (outcome.violation === undefined) continue;
    const { law } = outcome.violation;
    const lawBrokenBy = async (candidate: S): Promise<string | undefined> => (await simulate(candidate)).violation?.law;
    const small = await shrink(scenario, law, { smaller, lawBrokenBy });
    const { trace, violation } = await simulate(small);
    return { seeds: tried, steps, found: violation ?? outcome.violation, scenario: small, trace };
  }
  return { seeds: tried, steps, found: undefined };
}

/** For whoever reads the failure: what to keep, and what happened. */
export function told<S>(search: Search<S>): string {
  if (search.found === undefined) return "";
  const { found, scenario, trace } = search;
  return [`${found.law}: ${found.what}`, `keep: ${JSON.stringify(scenario)}`, ...trace.slice(-60)].join("\n");
}
