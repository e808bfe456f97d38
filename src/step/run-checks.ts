/** Runs a task's checks, in the user's own environment. What they say is evidence; an agent's word is not. */
import { stripVTControlCharacters } from "node:util";
import { sha256 } from "../kernel/index.ts";
import type { Blobs } from "../journal/index.ts";
import { headlines, readReport, showFailures, type ToolReport } from "../tooling/index.ts";
import type { RunOutcome, Workspace } from "../workspace/index.ts";
import { describeRun } from "./actions/run-actions.ts";
import type { CheckRecord, Look } from "./check-record.ts";
import { shortLine } from "./context/fit-lines.ts";
import type { CheckResult, Problem } from "./task-facts.ts";
import { cannotRun } from "./cannot-run.ts";
import { firstTrouble } from "./first-trouble.ts";

/** Numbers, times, hashes and the folder differ from run to run; the failure is the same. */
function signatureOf(text: string, root: string): string {
  const stable = text
    .replaceAll(root, ".")
    .replace(/0x[0-9a-f]+|\b[0-9a-f]{8,}\b/gi, "#")
    .replace(/\d+(\.\d+)?/g, "#")
    .replace(/\s+/g, " ");
  return sha256(stable).slice(0, 16);
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

/** A list that its tool ended before it was whole: `go vet` names one error of a package, compilers the first so many. */
const CUT = /^(?:\S+: )?(?:fatal error: )?too many errors(?: emitted.*)?$|^vet: \S+\.go:\d+/mu;

function problemsOf(report: ToolReport, text: string): Problem[] {
  const tests = (report.tests?.failures ?? []).map((one) => ({
    ...one,
    file: one.file ?? (ofFile(one) ? one.name : undefined),
    severity: "error" as const,
    rule: one.name,
    message: ofFile(one) && !UNBUILT.test(one.message) ? firstTrouble(text) : one.message,
    test: true,
  }));
  const diagnostics = report.diagnostics.filter(({ message }) => !CUT.test(message)).map((one) => ({ ...one, test: false }));
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
  /** What ran before in the same request, which need not run again; absent: everything is run. */
  record?: CheckRecord | undefined;
  /** `once` when absent. */
  look?: Look | undefined;
  signal: AbortSignal;
}

export async function runChecks(options: RunChecksOptions): Promise<CheckResult[]> {
  const { workspace, blobs, checks, record, look = "once", signal } = options;
  const results: CheckResult[] = [];
  for (const check of checks) {
    const looked = await record?.look(check.command, look, signal);
    if (looked?.known !== undefined) {
      results.push({ ...looked.known, name: check.name });
      continue;
    }
    const { command } = check;
    const outcome = await workspace.processes.run({ command, colours: "as the user has them", errors: "all", isCheck: true, signal });
    signal.throwIfAborted();
    const result = await resultOf(check, outcome, options);
    results.push((await looked?.keep(result, blobs)) ?? result);
  }
  return results;
}

async function resultOf(
  { name, command }: RunChecksOptions["checks"][number],
  outcome: RunOutcome,
  { workspace: { root, processes }, blobs, ranBefore }: RunChecksOptions,
): Promise<CheckResult> {
  const run = describeRun(outcome, command, "check_timeout");
  const report = outcome.kind === "exited" ? reportOf(outcome, root) : undefined;
  const result = { name, command, passed: run.ok, exit: outcome.kind === "exited" ? outcome.exitCode : null, ...totalsOf(report) };
  if (run.ok) return { ...result, summary: "passes", signature: "ok" };
  const signature = signatureOf(run.outcome + firstTrouble(run.text), root);
  const output = async (text: string): Promise<{ output: string }> => ({ output: await blobs.put(text) });
  const missing = cannotRun(outcome, run.text, {
    root,
    ranBefore: ranBefore?.has(name) === true,
    outside: (program) => processes.outside(program),
  });
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
    ...(CUT.test(run.text) ? { cut: true } : {}),
  };
}

function totalsOf(report: ToolReport | undefined): Pick<CheckResult, "tests"> {
  if (report?.tests === undefined || report.tests.onlyFailures === true) return {};
  const { passed, failed, skipped } = report.tests;
  return { tests: { passed, failed, skipped } };
}
