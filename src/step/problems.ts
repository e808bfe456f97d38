/**
 * What the checks report one by one, followed from the start of a task: what was there before keeps its number,
 * what came with the changes is called new. Lines move with every edit, so they do not count.
 */
import { must } from "../kernel/index.ts";
import type { CheckResult, Problem } from "./task-facts.ts";

export interface KnownProblem extends Problem {
  /** `V3` was there at the start, `N1` came later. */
  id: string;
  check: string;
  command: string;
}

/** A test is known by its name, whatever it says today. */
function keyOf(check: string, { path, rule, message, test }: Problem): string {
  if (test === true) return [check, "test", rule ?? ""].join("|");
  return [check, path ?? "", rule ?? "", message.replaceAll(/\d+/g, "#")].join("|");
}

/** A failing test and what it says. */
export function failureKey(check: string, { rule, message }: Pick<Problem, "rule" | "message">): string {
  return [check, rule ?? "", message.replaceAll(/\d+/g, "#")].join("|");
}

/** Failing tests that both results have, with the same words. */
export function repeatedFailures(before: readonly CheckResult[], now: readonly CheckResult[]): string[] {
  const keys = (checks: readonly CheckResult[]): string[] =>
    checks.flatMap(({ name, problems }) => (problems ?? []).filter(({ test }) => test === true).map((one) => failureKey(name, one)));
  const known = new Set(keys(before));
  return keys(now).filter((key) => known.has(key));
}

export function startProblems(checks: readonly CheckResult[]): KnownProblem[] {
  return checks
    .flatMap((check) => (check.passed ? [] : (check.problems ?? []).map((one) => ({ ...one, check: check.name, command: check.command }))))
    .map((one, i) => ({ ...one, id: `V${i + 1}` }));
}

/** How many problems are reported in all, listed or not. */
export function countProblems(checks: readonly CheckResult[]): number {
  return checks.reduce((sum, check) => sum + (check.passed ? 0 : (check.problem_count ?? check.problems?.length ?? 0)), 0);
}

/** Today's problems under the numbers they had at the start; of equal ones, those nearest by line belong together. */
export function followProblems(checks: readonly CheckResult[], start: readonly KnownProblem[]): KnownProblem[] {
  const now = startProblems(checks);
  const ids = new Map<KnownProblem, string>();
  const before = Map.groupBy(start, (one) => keyOf(one.check, one));
  for (const [key, equal] of Map.groupBy(now, (one) => keyOf(one.check, one))) {
    const known = before.get(key) ?? [];
    const pairs = equal
      .flatMap((one) => known.map((old) => ({ one, old, apart: Math.abs((one.line ?? 0) - (old.line ?? 0)) })))
      .toSorted((a, b) => a.apart - b.apart);
    const taken = new Set<KnownProblem>();
    for (const { one, old } of pairs) {
      if (ids.has(one) || taken.has(old)) continue;
      ids.set(one, old.id);
      taken.add(old);
    }
  }
  let fresh = 0;
  return now.map((one) => {
    const known = ids.get(one);
    if (known === undefined) fresh += 1;
    return { ...one, id: known ?? `N${fresh}` };
  });
}

export const isNew = (problem: KnownProblem): boolean => problem.id.startsWith("N");

/** The one that is to go: what the goal names by file or rule, else the first. */
export function targetOf(goal: string, start: readonly KnownProblem[]): KnownProblem | undefined {
  const names = (one: KnownProblem): number => {
    const byPath = one.path !== undefined && (goal.includes(one.path) || goal.includes(must(one.path.split("/").at(-1))));
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
export function targetState(
  goal: string,
  start: { problems: readonly KnownProblem[]; total: number; checks?: readonly Pick<CheckResult, "name" | "cut">[] },
  checks: readonly CheckResult[],
): TargetState {
  const target = targetOf(goal, start.problems);
  if (target === undefined) return { kind: "unknown" };
  const now = followProblems(checks, start.problems);
  // Of a list that was cut nobody can say that something is gone from it.
  const isCut = checks.some((check) => check.name === target.check && check.cut === true);
  if (isCut || now.some((one) => one.id === target.id)) return { kind: "there", target };
  const unread = checks.filter((check) => !check.passed && (check.problems ?? []).length === 0).map((check) => check.name);
  const total = countProblems(checks);
  // Of a long list only the beginning is known; then what slid into it is not new as long as there are not more.
  const cut = total > now.length || start.total > start.problems.length;
  const cutThen = (start.checks ?? []).flatMap((check) => (check.cut === true ? [check.name] : []));
  const fresh = cut && total < start.total ? [] : now.filter((one) => isNew(one) && (one.test === true || !cutThen.includes(one.check)));
  return { kind: "gone", target, fresh, unread };
}
