/** Runs a task's checks. Only this decides whether work is done; an agent's word is not evidence. */
import { sha256 } from "../kernel/index.ts";
import type { Blobs } from "../journal/index.ts";
import { headlines, readReport, type ToolReport } from "../tooling/index.ts";
import type { RunOutcome, Workspace } from "../workspace/index.ts";
import { describeRun } from "./actions/run-actions.ts";
import { shortLine } from "./context/fit-lines.ts";
import { followProblems, isNew, targetState, type KnownProblem } from "./problems.ts";
import type { TaskState } from "./task-state.ts";
import type { TaskType } from "./task-type.ts";
import type { CheckResult, Problem } from "./task-facts.ts";

/** Numbers, times and hashes differ from run to run; the failure is the same. */
function signatureOf(text: string): string {
  const stable = text
    .replace(/0x[0-9a-f]+|\b[0-9a-f]{8,}\b/gi, "#")
    .replace(/\d+(\.\d+)?/g, "#")
    .replace(/\s+/g, " ");
  return sha256(stable).slice(0, 16);
}

/** The line that tells most: a named error before a mere mention of failing. */
function firstTrouble(text: string): string {
  const lines = text.split("\n").filter((line) => /[a-z0-9]{2}/i.test(line));
  const named = lines.find((line) => /(\w*Error|Exception|panic)\b.*:|\berror(\[|:| TS)/.test(line));
  const told = named ?? lines.find((line) => /\b(error|fail(ed|ure)?|assert\w*|not ok)\b/i.test(line));
  return (told ?? lines.at(-1) ?? "").trim();
}

/** Larger output is judged by its shortened form. */
const MAX_PARSED_CHARS = 256 * 1024;

const MAX_PROBLEMS = 100;
const MAX_MESSAGE = 300;

function reportOf(outcome: Extract<RunOutcome, { kind: "exited" }>, root: string): ToolReport {
  const said = `${outcome.stdout}\n${outcome.stderr}`;
  return readReport({
    format: undefined,
    report: said.length > MAX_PARSED_CHARS ? outcome.output.text : said,
    exitCode: outcome.exitCode,
    output: "",
    root,
  });
}

/** What failed, by name and place where the output tells; else its first line that looks like trouble. */
function whatFailed(report: ToolReport, text: string): string {
  const lines = headlines(report, 2);
  return lines.length === 0 ? firstTrouble(text) : `${report.summary}; ${lines.join("; ")}`;
}

function countOf(report: ToolReport): number {
  return (report.tests?.failures.length ?? 0) + report.diagnostics.length;
}

/** A failure that bears the name of its file is the file's own: what it says stands in the output. */
function ofFile({ name, file }: { name: string; file: string | undefined }): boolean {
  return /\.\w{1,4}$/.test(name) && (file === undefined || name.endsWith(file) || file.endsWith(name));
}

function problemsOf(report: ToolReport, text: string): Problem[] {
  const tests = (report.tests?.failures ?? []).map((one) => ({
    ...one,
    file: one.file ?? (ofFile(one) ? one.name : undefined),
    severity: "error" as const,
    rule: one.name,
    message: ofFile(one) ? firstTrouble(text) : one.message,
  }));
  return [...tests, ...report.diagnostics].slice(0, MAX_PROBLEMS).map(({ file, line, severity, rule, message }) => ({
    ...(file === undefined ? {} : { path: file }),
    ...(line === undefined ? {} : { line }),
    severity,
    ...(rule === undefined ? {} : { rule: shortLine(rule, 120) }),
    message: shortLine(message, MAX_MESSAGE),
  }));
}

export interface RunChecksOptions {
  workspace: Workspace;
  blobs: Blobs;
  checks: readonly { name: string; command: string }[];
  signal: AbortSignal;
}

export async function runChecks({ workspace, blobs, checks, signal }: RunChecksOptions): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const outcome = await workspace.processes.run({ command: check.command, signal });
    signal.throwIfAborted();
    const run = describeRun(outcome, check.command);
    const report = run.ok || outcome.kind !== "exited" ? undefined : reportOf(outcome, workspace.root);
    const problems = report === undefined ? [] : problemsOf(report, run.text);
    results.push({
      name: check.name,
      command: check.command,
      passed: run.ok,
      exit: outcome.kind === "exited" ? outcome.exitCode : null,
      summary: run.ok
        ? "passes"
        : shortLine(
            outcome.kind === "exited" && report !== undefined
              ? `exit ${outcome.exitCode ?? outcome.signal}: ${whatFailed(report, run.text)}`
              : run.summary,
            300,
          ),
      signature: run.ok ? "ok" : signatureOf(run.outcome + firstTrouble(run.text)),
      ...(run.ok ? {} : { output: await blobs.put(run.text) }),
      ...(problems.length === 0 ? {} : { problems }),
      ...(report !== undefined && countOf(report) > problems.length ? { problem_count: countOf(report) } : {}),
    });
  }
  return results;
}

const TEST_PATH = /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.|(^|\/)test_/i;

export function isTestPath(file: string): boolean {
  return TEST_PATH.test(file);
}

/** A failing test of a file this task wrote, that did not fail before; where nobody names tests, a new kind of failure. */
function failsAsWanted(checks: readonly CheckResult[], state: TaskState, changed: readonly string[]): boolean {
  const start = state.atStart ?? { problems: [], total: 0, failing: [] };
  const told = followProblems(checks, start.problems).filter((one) => one.path !== undefined);
  const own = (one: KnownProblem): boolean => changed.some((file) => file === one.path || (one.path as string).endsWith(`/${file}`));
  if (told.length > 0) return told.some((one) => isNew(one) && own(one) && !UNREADABLE.test(`${one.rule ?? ""} ${one.message}`));
  return checks.some((check) => !check.passed && !start.failing.includes(check.signature) && !UNREADABLE.test(check.summary));
}

/** A test that cannot be read states nothing. */
const UNREADABLE =
  /\b(?:SyntaxError|ParseError|IndentationError|TransformError)\b|Unexpected (?:token|identifier|end of)|error TS1\d{3}\b|parse error/i;

const NOTHING_KNOWN = { problems: [], total: 0 };

/** Whether the checks say that this type of task has reached its end. */
export function isReady(type: TaskType, checks: readonly CheckResult[], state: TaskState): boolean {
  const passing = checks.every((check) => check.passed);
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
      return `none of the tests you wrote fails; what fails (${shortLine(told, 160)}) failed before`;
    }
    case "passing":
    case "report":
      return told === "" ? "the checks do not show what this task needs" : told;
  }
}
