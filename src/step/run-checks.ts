/** Runs a task's checks, in the user's own environment. What they say is evidence; an agent's word is not. */
import { stripVTControlCharacters } from "node:util";
import { sha256 } from "../kernel/index.ts";
import type { Blobs } from "../journal/index.ts";
import { headlines, readReport, showFailures, type ToolReport } from "../tooling/index.ts";
import type { RunOutcome, Workspace } from "../workspace/index.ts";
import { describeRun } from "./actions/run-actions.ts";
import { shortLine } from "./context/fit-lines.ts";
import type { CheckResult, Problem } from "./task-facts.ts";
import { cannotRun } from "./cannot-run.ts";

/** Numbers, times and hashes differ from run to run; the failure is the same. */
function signatureOf(text: string): string {
  const stable = text
    .replace(/0x[0-9a-f]+|\b[0-9a-f]{8,}\b/gi, "#")
    .replace(/\d+(\.\d+)?/g, "#")
    .replace(/\s+/g, " ");
  return sha256(stable).slice(0, 16);
}

/** Names of tests that passed say nothing, whatever words are in them. */
const PASSED = /^\s*(?:ok \d|✓|✔|√|PASS\b|--- PASS|# Subtest:|test \S+ \.\.\. ok$)/;

/** The line that tells most: a named error before a mere mention of failing. */
function firstTrouble(text: string): string {
  const lines = text.split("\n").filter((line) => /[a-z0-9]{2}/i.test(line) && !PASSED.test(line));
  const named = lines.find((line) => /(\w*Error|Exception|panic)\b.*:|\berror(\[|:| TS)/.test(line));
  const told = named ?? lines.find((line) => /\b(error|fail(ed|ure)?|assert\w*|not ok)\b/i.test(line));
  return (told ?? lines.at(-1) ?? "").trim();
}

/** Larger output is judged by its shortened form. */
const MAX_PARSED_CHARS = 256 * 1024;

const MAX_PROBLEMS = 100;
const MAX_MESSAGE = 300;

function reportOf(outcome: Extract<RunOutcome, { kind: "exited" }>, root: string): ToolReport {
  const said = stripVTControlCharacters(`${outcome.stdout}\n${outcome.stderr}`);
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

/** Here the compiler's reason is told with it. */
const UNBUILT = /^(?:build|setup) failed: /u;

function problemsOf(report: ToolReport, text: string): Problem[] {
  const tests = (report.tests?.failures ?? []).map((one) => ({
    ...one,
    file: one.file ?? (ofFile(one) ? one.name : undefined),
    severity: "error" as const,
    rule: one.name,
    message: ofFile(one) && !UNBUILT.test(one.message) ? firstTrouble(text) : one.message,
    test: true,
  }));
  const diagnostics = report.diagnostics.map((one) => ({ ...one, test: false }));
  return [...tests, ...diagnostics].slice(0, MAX_PROBLEMS).map(({ file, line, severity, rule, message, test }) => ({
    ...(file === undefined ? {} : { path: file }),
    ...(line === undefined ? {} : { line }),
    severity,
    ...(rule === undefined ? {} : { rule: shortLine(rule, 120) }),
    message: shortLine(message, MAX_MESSAGE),
    ...(test ? { test } : {}),
  }));
}

export interface RunChecksOptions {
  workspace: Workspace;
  blobs: Blobs;
  checks: readonly { name: string; command: string }[];
  /** Checks that never ran here, by name; undefined: it is not known of any that it did. */
  ranBefore?: ReadonlySet<string> | undefined;
  signal: AbortSignal;
}

export async function runChecks(options: RunChecksOptions): Promise<CheckResult[]> {
  const { workspace, checks, signal } = options;
  const results: CheckResult[] = [];
  for (const check of checks) {
    const outcome = await workspace.processes.run({ command: check.command, colours: "as the user has them", signal });
    signal.throwIfAborted();
    results.push(await resultOf(check, outcome, options));
  }
  return results;
}

async function resultOf(
  { name, command }: RunChecksOptions["checks"][number],
  outcome: RunOutcome,
  { workspace: { root }, blobs, ranBefore }: RunChecksOptions,
): Promise<CheckResult> {
  const run = describeRun(outcome, command);
  const report = outcome.kind === "exited" ? reportOf(outcome, root) : undefined;
  const result = { name, command, passed: run.ok, exit: outcome.kind === "exited" ? outcome.exitCode : null, ...totalsOf(report) };
  if (run.ok) return { ...result, summary: "passes", signature: "ok" };
  const signature = signatureOf(run.outcome + firstTrouble(run.text));
  const output = async (text: string): Promise<{ output: string }> => ({ output: await blobs.put(text) });
  const missing = cannotRun(outcome, run.text, { root, ranBefore: ranBefore?.has(name) === true });
  if (missing !== undefined) {
    const summary = shortLine(`could not run: ${missing.why}${missing.fix === undefined ? "" : `; \`${missing.fix}\` would help`}`, 300);
    return { ...result, summary, signature, could_not_run: missing, ...(await output(run.text)) };
  }
  const problems = report === undefined ? [] : problemsOf(report, run.text);
  const said =
    outcome.kind === "exited" && report !== undefined
      ? `exit ${outcome.exitCode ?? outcome.signal}: ${whatFailed(report, run.text)}`
      : run.summary;
  return {
    ...result,
    summary: shortLine(said, 300),
    signature,
    ...(await output((report === undefined ? undefined : showFailures(report)) ?? run.text)),
    ...(problems.length === 0 ? {} : { problems }),
    ...(report !== undefined && countOf(report) > problems.length ? { problem_count: countOf(report) } : {}),
  };
}

function totalsOf(report: ToolReport | undefined): Pick<CheckResult, "tests"> {
  if (report?.tests === undefined || report.tests.onlyFailures === true) return {};
  const { passed, failed, skipped } = report.tests;
  return { tests: { passed, failed, skipped } };
}
