/** Whether the checks say that a task of this type has reached its end, and what is missing if not. */
import { shortLine } from "../context/fit-lines.ts";
import { followProblems, isNew, targetState, type KnownProblem } from "../problems.ts";
import type { CheckResult } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";
import type { TaskType } from "../task-type.ts";
import { isTestPath } from "./changed-files.ts";
import type { StartOfTask } from "../start-of-task.ts";

/** A failing test of a file this task wrote, that did not fail before; where nobody names tests, a new kind of failure. */
function failsAsWanted(checks: readonly CheckResult[], state: TaskState, changed: readonly string[]): boolean {
  const start: Pick<StartOfTask, "problems" | "failing"> = state.atStart ?? { problems: [], failing: [] };
  const told = followProblems(checks, start.problems).filter((one) => one.path !== undefined);
  const own = (one: KnownProblem): boolean => changed.some((file) => file === one.path || (one.path as string).endsWith(`/${file}`));
  // What its compiler says of a file, and no test of it, counts only when something is missing.
  const isCompilers = (one: KnownProblem): boolean => one.test !== true || one.message.startsWith("build failed: ");
  const isWanted = (one: KnownProblem): boolean =>
    !UNREADABLE.test(`${one.rule ?? ""} ${one.message}`) && (!isCompilers(one) || MISSING.test(one.message));
  if (told.length > 0) return told.some((one) => isNew(one) && own(one) && isWanted(one));
  return checks.some((check) => !check.passed && !start.failing.includes(check.signature) && !UNREADABLE.test(check.summary));
}

/** A test that cannot be read states nothing. */
const UNREADABLE =
  /\b(?:syntax error|SyntaxError(?!: The requested module)|ParseError|IndentationError|TransformError)\b|Unexpected (?:token|identifier|end of)|error TS1\d{3}\b|parse error/i;

/** What a compiler says of something that is not there; a file of tests that does not build for another reason states nothing. */
const MISSING =
  /\b(?:undefined|undeclared|unresolved|no module named|cannot import name|(?:cannot|can't) (?:find|resolve)|cannot be resolved|not (?:found|defined|declared|exported)|no (?:exported member|such|member|field|method|required module)|does not (?:exist|provide|contain)|has no (?:exported|field|member|method|attribute))\b/iu;

const namesTests = (check: CheckResult): boolean => check.tests !== undefined || check.problems?.some((one) => one.test === true) === true;

const NOTHING_KNOWN = { problems: [], total: 0 };

/** Whether the checks say that this type of task has reached its end. */
export function isReady(type: TaskType, checks: readonly CheckResult[], state: TaskState): boolean {
  // What could not run says nothing; that the work is then not verified is another matter.
  const passing = checks.every((check) => check.passed || check.could_not_run !== undefined);
  switch (type.verify) {
    case "passing":
      return passing;
    case "target_gone": {
      const now = targetState(state.created.goal, state.atStart ?? NOTHING_KNOWN, checks);
      return passing || (now.kind === "gone" && now.fresh.length === 0 && now.unread.length === 0);
    }
    case "failing_tests": {
      const changed = Object.keys(state.changedFiles);
      return changed.length > 0 && changed.every(isTestPath) && failsAsWanted(checks, state, changed);
    }
    case "report":
      return true;
  }
}

/** Why the work does not count as done, in words that say what would. */
export function notReadyBecause(type: TaskType, checks: readonly CheckResult[], state: TaskState): string {
  const failing = checks.filter((check) => !check.passed);
  const told = failing.map((check) => `${check.name}: ${check.summary}`).join("; ");
  switch (type.verify) {
    case "target_gone": {
      const now = targetState(state.created.goal, state.atStart ?? NOTHING_KNOWN, checks);
      if (now.kind === "there") return `${now.target.id} is still reported: ${shortLine(now.target.message, 200)}`;
      if (now.kind === "gone" && now.fresh.length > 0)
        return `${now.target.id} is gone, but your change brought ${now.fresh.length} new: ${now.fresh
          .slice(0, 3)
          .map((one) => `${one.path ?? one.check}: ${shortLine(one.message, 120)}`)
          .join("; ")}`;
      return told;
    }
    case "failing_tests": {
      const changed = Object.keys(state.changedFiles);
      const others = changed.filter((file) => !isTestPath(file));
      if (changed.length === 0) return "no test has been written yet";
      if (others.length > 0) return `this task writes tests only, and ${others.join(", ")} is no test; take that back`;
      const unread = failing
        .flatMap((check) => [check.summary, ...(check.problems ?? []).map((one) => one.message)])
        .find((text) => UNREADABLE.test(text));
      if (unread !== undefined) return `your test file cannot be read: ${shortLine(unread, 200)}`;
      if (failing.length === 0)
        return "your tests pass already, so the behaviour exists. If the goal asks for tests of what exists, call complete again and say so; otherwise test what is missing";
      const failed = `what fails (${shortLine(told, 160)}) failed before`;
      // A check that stops before the tests, or names none, says nothing of them.
      return checks.some(namesTests)
        ? `none of the tests you wrote fails; ${failed}`
        : `no check tells whether the tests you wrote fail: none of them names a test, and ${failed}`;
    }
    case "passing":
    case "report":
      return told === "" ? "the checks do not show what this task needs" : told;
  }
}
