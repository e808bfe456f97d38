/** What the checks said before anything was done. */
import { countProblems, startProblems, type KnownProblem } from "./problems.ts";
import type { CheckResult } from "./task-facts.ts";

type StartCheck = Pick<CheckResult, "name" | "passed" | "tests" | "flaky" | "cut"> & { ran: boolean };

export interface StartOfTask {
  problems: KnownProblem[];
  total: number;
  /** Signatures of what failed. */
  failing: string[];
  checks: StartCheck[];
}

function startCheck({ name, passed, tests, flaky, cut, could_not_run }: CheckResult): StartCheck {
  return {
    name,
    passed,
    ran: could_not_run === undefined,
    ...(tests === undefined ? {} : { tests }),
    ...(flaky === undefined ? {} : { flaky }),
    ...(cut === undefined ? {} : { cut }),
  };
}

/** A check that could not run is known from the first time it does, as long as nothing was changed. */
export function startOf(known: StartOfTask | undefined, checks: readonly CheckResult[]): StartOfTask {
  if (known?.checks.every(({ ran }) => ran) === true) return known;
  const failing = checks.filter((check) => !check.passed).map((check) => check.signature);
  return { problems: startProblems(checks), total: countProblems(checks), failing, checks: checks.map(startCheck) };
}

/** One more, named before anything was changed. */
export function withCheck(known: StartOfTask | undefined, check: CheckResult): StartOfTask {
  const { problems, total, failing, checks } = known ?? { problems: [], total: 0, failing: [], checks: [] };
  return {
    problems: [...problems, ...startProblems([check]).map((one, i) => ({ ...one, id: `V${problems.length + i + 1}` }))],
    total: total + countProblems([check]),
    failing: [...failing, check.signature],
    checks: [...checks, startCheck(check)],
  };
}

export function ranAtStart(start: StartOfTask | undefined): ReadonlySet<string> {
  return new Set((start?.checks ?? []).filter(({ ran }) => ran).map(({ name }) => name));
}
