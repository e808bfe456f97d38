import type { CheckResult } from "./task-facts.ts";

const namesOf = (check: CheckResult | undefined): string[] =>
  (check?.problems ?? []).flatMap((one) => (one.test === true && one.rule !== undefined ? [one.rule] : []));

/** Two results of the same files: what differs is flaky. */
export function flakyIn(first: CheckResult, second: CheckResult): string[] {
  const [a, b] = [namesOf(first), namesOf(second)];
  const differing = [...a.filter((name) => !b.includes(name)), ...b.filter((name) => !a.includes(name))];
  if (differing.length > 0) return [...new Set(differing)];
  return first.passed === second.passed ? [] : [first.name];
}
