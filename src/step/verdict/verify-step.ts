/** Runs the checks when something changed, or when completion is asked for without a fresh verdict. */
import { changedSince } from "../../workspace/index.ts";
import { EVENTS, SYSTEM } from "../../protocol/events/index.ts";
import { recordIn } from "../check-record.ts";
import { flakyIn } from "../flaky-in.ts";
import { shortLine } from "../context/fit-lines.ts";
import { runChecks } from "../run-checks.ts";
import type { Done, StepRun } from "../step-run.ts";
import type { CheckResult } from "../task-facts.ts";
import { withChanges } from "../task-files.ts";
import type { TaskState } from "../task-state.ts";
import { asking } from "../wait-for-answer.ts";
import { checkStart } from "./check-start.ts";
import { isDocument } from "./changed-files.ts";
import { isReady } from "./readiness.ts";
import { toldAgainstStart } from "./standing.ts";
import { ranAtStart } from "../start-of-task.ts";

export interface Verified {
  checks: CheckResult[];
  ready: boolean;
  /** They were run in this step. */
  fresh: boolean;
}

/** The state with what this step did to files. */
export function after(state: TaskState, done: readonly Done[]): TaskState {
  const files = done.flatMap(({ result }) => result.files ?? []);
  return { ...state, changedFiles: withChanges(state.changedFiles, files, state.step + 1) };
}

function seen(check: CheckResult, state: TaskState): CheckResult {
  const told = toldAgainstStart(check, state);
  return told === "" ? check : { ...check, summary: shortLine(`${told}; ${check.summary}`, 300) };
}

/** What passed and now fails although nothing that could matter was changed is run once more; both results are told. */
async function runAgain(
  run: StepRun,
  state: TaskState,
  checks: readonly CheckResult[],
  changed: readonly string[],
): Promise<CheckResult[]> {
  const known = state.verification;
  if (known === undefined || known.changes !== state.changes || !changed.every(isDocument)) return [...checks];
  const passed = new Set(known.checks.filter((check) => check.passed).map(({ name }) => name));
  const odd = checks.filter((check) => !check.passed && check.exit !== null && passed.has(check.name));
  if (odd.length === 0) return [...checks];
  const again = await runChecks({ ...partsOf(run, state), checks: odd, look: "anew" });
  const since = changed.length === 0 ? "nothing of the task changed since" : `since then only ${changed.slice(0, 3).join(", ")} changed`;
  return checks.map((check) => {
    const second = again.find(({ name }) => name === check.name);
    if (second === undefined) return check;
    const before = `it passed after step ${known.step}; ${since}`;
    const flaky = flakyIn(check, second);
    if (flaky.length === 0) return { ...second, summary: shortLine(`${before}; ${second.summary}`, 300) };
    const both = `flaky: ${flaky.join(", ")} failed once and passed once (${before})`;
    return { ...second, flaky, summary: shortLine(second.passed ? `passes the second time; ${both}` : `${both}; ${second.summary}`, 300) };
  });
}

function partsOf(run: StepRun, state: TaskState): Parameters<typeof runChecks>[0] {
  const { engine, workspace, texts: blobs, signal } = run;
  const record = recordIn({ engine, task: state.created, workspace }, { isCopy: false });
  return { workspace, blobs, signal, record, checks: state.created.checks, ranBefore: ranAtStart(state.atStart) };
}

export async function verify(run: StepRun, state: TaskState, done: readonly Done[]): Promise<Verified> {
  const changedFiles = done.flatMap(({ result }) => (result.files ?? []).map(({ path }) => path));
  const ranSomething = done.some(
    ({ action, result }) => action.effect === "process" && result.checks === undefined && result.outcome !== "refused",
  );
  const reported = done.find(({ result }) => result.checks !== undefined)?.result.checks;
  const completing = done.some(({ action }) => action.ends === "complete");
  const known = state.verification;
  // What was true when the step before was verified may not be after a rest, or after steps in which others worked.
  const rested = known === undefined || known.changes !== state.changes || known.rested === true || known.step !== state.step;
  // While the model thought, the user or another task may have changed something.
  const all = state.created.checks;
  const judges = all.length > 0 && run.type.verify !== "report";
  const stale = rested || (completing && judges && (await isOutdated(run)));
  const judged = (checks: CheckResult[]): Verified => ({
    checks: checks.map((check) => seen(check, state)),
    ready: isReady(run.type, checks, after(state, done)),
    fresh: true,
  });
  if (all.length > 0 && reported?.length === all.length) {
    run.checkedAt = run.engine.clock.now();
    return judged(reported);
  }
  if (!judges || !(changedFiles.length > 0 || ranSomething || (completing && stale))) {
    return {
      checks: known?.checks ?? [],
      ready: run.type.verify === "report" || (all.length === 0 ? true : !stale && (known?.ready ?? false)),
      fresh: false,
    };
  }
  await run.durable.mustOwn();
  const checks = await runChecks(partsOf(run, state));
  run.checkedAt = run.engine.clock.now();
  return judged(ranSomething ? checks : await runAgain(run, state, checks, changedFiles));
}

async function isOutdated({ workspace, engine: { clock }, checkedAt, signal }: StepRun): Promise<boolean> {
  return checkedAt !== undefined && changedSince(workspace.root, checkedAt, clock, signal);
}

/** The checks before anything is done, and again after a rest, so that the next step knows where the work stands. */
export async function verifyStart(run: StepRun, state: TaskState, changedMeanwhile: boolean): Promise<TaskState> {
  const known = state.verification;
  const current = known !== undefined && known.rested !== true && !changedMeanwhile;
  if (current || state.pending !== undefined || state.status !== "running") return state;
  if (state.created.checks.length === 0 || run.type.verify === "report") return state;
  const untouched = state.changes === 0 && state.atStart?.checks.every(({ ran }) => ran) !== true;
  const ran = untouched ? await checkStart(partsOf(run, state)) : await runChecks(partsOf(run, state));
  run.checkedAt = run.engine.clock.now();
  const checks = untouched ? ran : ran.map((check) => seen(check, state));
  const verified = EVENTS.task.verified.create(
    { step: state.step, checks, ready: isReady(run.type, checks, state) },
    { actor: SYSTEM.engine },
  );
  const next = await run.texts.with(() => run.durable.append(verified));
  const missing = checks.filter((check) => check.could_not_run !== undefined);
  return missing.length === 0 || state.toldCannotRun ? next : askForTools(run, next, missing);
}

/** Nothing is spent before the person knows that what should judge the work cannot. */
async function askForTools(run: StepRun, state: TaskState, missing: readonly CheckResult[]): Promise<TaskState> {
  const told = missing.map((check) => `\`${check.command}\` could not run: ${check.could_not_run?.why ?? ""}`);
  const fixes = [...new Set(missing.flatMap((check) => check.could_not_run?.fix ?? []))];
  const help = fixes.length === 0 ? "Make it run" : `Run ${fixes.map((fix) => `\`${fix}\``).join(", ")}`;
  const question = `${told.join("; ")}. ${help} and go on, or go on without: what the task does is then not verified.`;
  const { step, phase, limit } = state;
  const decided = EVENTS.task.decided.create(
    {
      step,
      decision: "escalate",
      why: "checks_cannot_run",
      phase,
      reason: `${missing.map((check) => check.name).join(", ")} could not run`,
      progress: false,
      limit,
      ...(await asking(run.engine, state, "checks", { why: "checks_cannot_run", question })),
    },
    { actor: SYSTEM.engine },
  );
  return run.durable.append(decided);
}
