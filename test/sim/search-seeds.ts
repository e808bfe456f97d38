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
  /** Real programs take part: what a seed does not do again is told apart from what it does. */
  mayDiffer?: boolean;
}

/** How often a seed that may differ is tried again. */
const AGAIN = 3;

export type Search<S> = { seeds: number; steps: number; unsteady: Violation[] } & (
  | { found: undefined }
  | { found: Violation; scenario: S; trace: string[] }
);

export async function searchSeeds<S>(trial: Trial<S>, seeds: Iterable<number>): Promise<Search<S>> {
  const { scenarioOf, simulate, smaller } = trial;
  const unsteady: Violation[] = [];
  const comesAgain = async (scenario: S): Promise<boolean> => {
    for (let tries = 0; tries < AGAIN; tries += 1) if ((await simulate(scenario)).violation !== undefined) return true;
    return false;
  };
  let steps = 0;
  let tried = 0;
  for (const seed of seeds) {
    const scenario = scenarioOf(seed);
    const outcome = await simulate(scenario);
    steps += outcome.steps;
    tried += 1;
    if (outcome.violation === undefined) continue;
    if (trial.mayDiffer === true && !(await comesAgain(scenario))) {
      unsteady.push(outcome.violation);
      continue;
    }
    const { law } = outcome.violation;
    const lawBrokenBy = async (candidate: S): Promise<string | undefined> => (await simulate(candidate)).violation?.law;
    const small = await shrink(scenario, law, { smaller, lawBrokenBy });
    const { trace, violation } = await simulate(small);
    return { seeds: tried, steps, unsteady, found: violation ?? outcome.violation, scenario: small, trace };
  }
  return { seeds: tried, steps, unsteady, found: undefined };
}

/** For whoever reads the failure: what to keep, and what happened. */
export function told<S>(search: Search<S>): string {
  if (search.found === undefined) return "";
  const { found, scenario, trace } = search;
  return [`${found.law}: ${found.what}`, `keep: ${JSON.stringify(scenario)}`, ...trace.slice(-60)].join("\n");
}
