/**
 * What the checks report one by one, followed from the start of a task: what was there before keeps its number,
 * what came with the changes is called new. Lines move with every edit, so they do not count.
 */
import type { CheckResult, Problem } from "./task-events.ts";

export interface KnownProblem extends Problem {
  /** `V3` was there at the start, `N1` came later. */
  id: string;
  check: string;
  command: string;
}

function keyOf(check: string, { path, rule, message }: Problem): string {
  return [check, path ?? "", rule ?? "", message.replaceAll(/\d+/g, "#")].join("|");
}

export function startProblems(checks: readonly CheckResult[]): KnownProblem[] {
  return checks
    .flatMap((check) => (check.passed ? [] : (check.problems ?? []).map((one) => ({ ...one, check: check.name, command: check.command }))))
    .map((one, i) => ({ ...one, id: `V${i + 1}` }));
}

/** Today's problems under the numbers they had at the start; equal ones are matched one to one. */
export function followProblems(checks: readonly CheckResult[], start: readonly KnownProblem[]): KnownProblem[] {
  const before = Map.groupBy(start, (one) => keyOf(one.check, one));
  let fresh = 0;
  return startProblems(checks).map((one) => {
    const known = before.get(keyOf(one.check, one))?.shift();
    if (known !== undefined) return { ...one, id: known.id };
    fresh += 1;
    return { ...one, id: `N${fresh}` };
  });
}

export const isNew = (problem: KnownProblem): boolean => problem.id.startsWith("N");

/** The one that is to go: what the goal names by file or rule, else the first. */
export function targetOf(goal: string, start: readonly KnownProblem[]): KnownProblem | undefined {
  const names = (one: KnownProblem): number => {
    const byPath = one.path !== undefined && (goal.includes(one.path) || goal.includes(one.path.split("/").at(-1) as string));
    const byLine = byPath && one.line !== undefined && new RegExp(`\\b${one.line}\\b`).test(goal);
    const byRule = one.rule !== undefined && one.rule !== "" && goal.includes(one.rule);
    return Number(byPath) + Number(byLine) + Number(byRule);
  };
  return start.toSorted((a, b) => names(b) - names(a))[0];
}

export type TargetState =
  | { kind: "unknown" }
  | { kind: "there"; target: KnownProblem }
  | { kind: "gone"; target: KnownProblem; fresh: KnownProblem[]; unread: string[] };

/** Where the target stands. `unread` are failing checks whose output names no problem. */
export function targetState(goal: string, start: readonly KnownProblem[], checks: readonly CheckResult[]): TargetState {
  const target = targetOf(goal, start);
  if (target === undefined) return { kind: "unknown" };
  const now = followProblems(checks, start);
  if (now.some((one) => one.id === target.id)) return { kind: "there", target };
  const unread = checks.filter((check) => !check.passed && (check.problems ?? []).length === 0).map((check) => check.name);
  return { kind: "gone", target, fresh: now.filter(isNew), unread };
}
