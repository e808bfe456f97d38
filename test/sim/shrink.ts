/** Makes a scenario that breaks a law smaller while it still breaks that law. */
import type { Faults, Part, Scenario } from "./scenario.ts";

function* smallerParts(parts: readonly Part[]): Generator<Part[]> {
  for (const index of parts.keys()) yield parts.toSpliced(index, 1);
  for (const [index, part] of parts.entries())
    if (part.do === "spawn") for (const inner of smallerParts(part.parts)) yield parts.with(index, { ...part, parts: inner });
}

/** Everything that is one thing less, the largest first. */
export function* smallerRuns(scenario: Scenario): Generator<Scenario> {
  const { runs, faults, workers, people, steps } = scenario;
  if (steps > 10) yield { ...scenario, steps: Math.floor(steps / 2) };
  for (const kind of Object.keys(faults) as (keyof Faults)[]) if (faults[kind] > 0) yield { ...scenario, faults: { ...faults, [kind]: 0 } };
  for (const index of runs.keys()) if (runs.length > 1) yield { ...scenario, runs: runs.toSpliced(index, 1) };
  if (workers > 1) yield { ...scenario, workers: workers - 1 };
  if (people > 1) yield { ...scenario, people: people - 1 };
  for (const [index, run] of runs.entries()) {
    if (run.cancelAfterMs !== null) yield { ...scenario, runs: runs.with(index, { ...run, cancelAfterMs: null }) };
    for (const parts of smallerParts(run.parts)) yield { ...scenario, runs: runs.with(index, { ...run, parts }) };
  }
  if (steps > 1) yield { ...scenario, steps: steps - 1 };
}

const MAX_TRIES = 400;

export async function shrink<S>(
  scenario: S,
  law: string,
  { smaller, lawBrokenBy }: { smaller: (scenario: S) => Iterable<S>; lawBrokenBy: (scenario: S) => Promise<string | undefined> },
): Promise<S> {
  let best = scenario;
  let tries = 0;
  const better = async (): Promise<S | undefined> => {
    for (const candidate of smaller(best)) {
      tries += 1;
      if (tries > MAX_TRIES) return undefined;
      if ((await lawBrokenBy(candidate)) === law) return candidate;
    }
    return undefined;
  };
  for (let found = await better(); found !== undefined; found = await better()) best = found;
  return best;
}
