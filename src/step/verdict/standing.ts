/**
 * Results seen against the start of the task: what failed before is not the task's, what came since is, and what fails
 * now and then is called flaky.
 */
import { shortLine } from "../context/fit-lines.ts";
import { countProblems, followProblems, isNew, type KnownProblem } from "../problems.ts";
import type { CheckResult } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";

export interface Standing {
  /** Failed before, and fails now. */
  old: KnownProblem[];
  /** Fails now, and did not before. */
  fresh: KnownProblem[];
  /** Fails now, and was seen to pass on the same files. */
  flaky: KnownProblem[];
  /** Failing checks of which nothing is known by name; those that fail as they did before the request. */
  unnamed: CheckResult[];
  silent: CheckResult[];
}

type StartedTask = Pick<TaskState, "atStart"> & { created: Pick<TaskState["created"], "failing"> };

/** What it is to make pass was seen to fail at the start, and is its own all the same. */
function ofFiles({ path, rule = "" }: KnownProblem, files: readonly string[]): boolean {
  return files.some((file) => path === file || path?.endsWith(`/${file}`) === true || rule.split(/::| > /u)[0] === file);
}

export function standingOf(checks: readonly CheckResult[], { atStart: start, created: { failing } }: StartedTask): Standing {
  const ran = checks.filter((check) => check.could_not_run === undefined);
  const known = new Set([...(start?.checks ?? []), ...ran].flatMap((check) => check.flaky ?? []));
  const now = followProblems(ran, start?.problems ?? []);
  const isFlaky = (one: KnownProblem): boolean => one.rule !== undefined && known.has(one.rule);
  // Two tests may have one name: of each name as many are old as failed before.
  const left = Map.groupBy(failing?.before ?? [], (name) => name);
  const old = new Set(
    now.filter((one) => !ofFiles(one, failing?.wanted ?? []) && (!isNew(one) || left.get(one.rule ?? one.check)?.pop() !== undefined)),
  );
  // What a list that was cut at the start did not get to may have been there: nobody can call it new.
  const cutThen = new Set((start?.checks ?? []).flatMap((check) => (check.cut === true ? [check.name] : [])));
  const isOld = (one: KnownProblem): boolean => old.has(one) || (one.test !== true && cutThen.has(one.check));
  const cut = countProblems(ran) > now.length || (start?.total ?? 0) > (start?.problems.length ?? 0);
  const fewer = cut && countProblems(ran) <= (start?.total ?? 0);
  const nameless = ran.filter((check) => !check.passed && (check.problems ?? []).length === 0);
  const isKnown = ({ signature }: CheckResult): boolean => failing?.silent?.includes(signature) === true;
  return {
    flaky: now.filter(isFlaky),
    old: now.filter((one) => !isFlaky(one) && isOld(one)),
    // Of a long list only the beginning is known; what slid into it is not new as long as there are not more.
    fresh: fewer && failing === undefined ? [] : now.filter((one) => !isFlaky(one) && !isOld(one)),
    unnamed: nameless.filter((check) => !isKnown(check)),
    silent: nameless.filter(isKnown),
  };
}

const listed = (problems: readonly KnownProblem[], count: number): string => {
  const names = [...new Set(problems.map((one) => one.rule ?? `${one.path ?? one.check}: ${shortLine(one.message, 60)}`))];
  return `${names.slice(0, count).join(", ")}${names.length > count ? ` and ${names.length - count} more` : ""}`;
};

/** One line about a failing check: what is the task's, and what is not. Empty where nothing failed before. */
export function toldAgainstStart(check: CheckResult, state: StartedTask): string {
  const { atStart: start } = state;
  if (check.passed || check.could_not_run !== undefined || start === undefined) return "";
  const { old, fresh, flaky } = standingOf([check], state);
  const before = start.checks.find(({ name }) => name === check.name);
  const parts = [
    fresh.length > 0 && (before?.passed === true || old.length > 0) ? `new: ${listed(fresh, 3)}` : "",
    old.length > 0 ? `the same ${old.length} as before you began: not yours unless the goal says so` : "",
    flaky.length > 0 ? `flaky: ${listed(flaky, 3)}` : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}
