/**
 * Runs a task from wherever its journal stands until it ends, waits or is stopped. One process owns
 * a task at a time; losing the ownership stops the run.
 */
import { processHolder, SylkError, withScope } from "../kernel/index.ts";
import type { Claim } from "../journal/index.ts";
import type { StepEngine } from "./engine.ts";
import { KeptTexts } from "./kept-texts.ts";
import { lookAtGoal } from "./monitor/look-at-goal.ts";
import { runStep, verifyStart } from "./run-step.ts";
import type { StepRun } from "./step-run.ts";
import { createTaskFolder, type TaskFolder } from "./task-folder.ts";
import { taskView, type TaskState } from "./task-state.ts";
import { ignoredOverrides, taskTypeOf } from "./task-type.ts";
import { SYSTEM, USER, taskEvents, taskStream, type JournalEvent } from "../protocol/events/index.ts";

const LEASE_MS = 30_000;

export interface RunTaskOptions {
  engine: StepEngine;
  id: string;
  signal: AbortSignal;
  onEvents?: (events: JournalEvent[], state: TaskState) => void;
}

export async function loadTask(engine: StepEngine, id: string): Promise<TaskState> {
  const state = await engine.store.journal.get(taskView, taskStream(id));
  if (state === undefined)
    throw new SylkError({
      code: "TASK_NOT_FOUND",
      tier: "user_fixable",
      message: `there is no task ${id}`,
      fix: "`sylk task list` shows them",
    });
  return state;
}

export async function runTask(options: RunTaskOptions): Promise<TaskState> {
  const { engine, id } = options;
  const start = await engine.turns.with(() => loadTask(engine, id));
  const claim = await engine.store.work.claim(taskStream(id), processHolder(), LEASE_MS);
  if (claim === undefined) {
    const holder = await engine.store.work.holder(taskStream(id));
    throw new SylkError({
      code: "TASK_RUNS_ELSEWHERE",
      tier: "user_fixable",
      message: `task ${id} is being run by another process (${holder?.holder ?? "unknown"})`,
      fix: `watch it with \`sylk task watch ${id}\``,
    });
  }
  try {
    return await withScope(options.signal, async (scope) => {
      const done = new AbortController();
      scope.spawn(() => keepClaim(engine, claim, AbortSignal.any([scope.signal, done.signal])));
      try {
        return await steps(options, start, claim, scope.signal);
      } finally {
        done.abort();
      }
    });
  } finally {
    await engine.store.work.settle(claim);
  }
}

function lost(claim: Claim): SylkError {
  return new SylkError({ code: "TASK_RUNS_ELSEWHERE", tier: "permanent", message: `${claim.key} was taken over by another process` });
}

/** Throws when the task is no longer this process's. A process that slept finds out here, before it acts. */
async function mustOwn(engine: StepEngine, claim: Claim): Promise<void> {
  const { work } = engine.store;
  const holder = await work.holder(claim.key);
  if (holder !== undefined && holder.epoch === claim.epoch && holder.leaseMs > LEASE_MS / 2) return;
  if ((await work.renew([claim])).length > 0) throw lost(claim);
}

/** Renews well before the lease ends; when it is lost the run stops itself. */
async function keepClaim(engine: StepEngine, claim: Claim, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await engine.clock.sleep(LEASE_MS / 3, signal).catch(() => undefined);
    if (signal.aborted) return;
    if ((await engine.store.work.renew([claim])).length > 0) throw lost(claim);
  }
}

async function steps(options: RunTaskOptions, start: TaskState, claim: Claim, signal: AbortSignal): Promise<TaskState> {
  const { engine } = options;
  const { created } = start;
  const ignored = ignoredOverrides(engine);
  if (ignored !== undefined) engine.log.warn("the project's task types and prompts", { files: ignored.files, reason: ignored.reason });
  const folder = createTaskFolder(engine.tasksDir, created.id, engine.store.blobs, engine.clock);
  const run = await engine.turns.with(async (): Promise<StepRun> => ({
    engine,
    type: taskTypeOf(created, engine),
    role: engine.roleOf(created.role),
    workspace: engine.workspaceFor(created),
    fence: { key: claim.key, epoch: claim.epoch },
    mustOwn: () => mustOwn(engine, claim),
    signal,
    taskId: created.id,
    texts: new KeptTexts(engine.store.blobs),
    definitions: new Map(),
    seq: undefined,
    onAppend: (events, state) => {
      options.onEvents?.(events, state);
      folder.update(events, state);
      return Promise.resolve();
    },
  }));
  // Whatever a former process left unwritten of the readable folder is written now.
  if (start.step > 0) folder.rebuild(await engine.store.journal.read(taskStream(created.id)), start);
  try {
    return await stepOn(run, folder);
  } finally {
    // The folder can be rebuilt at any time; that it could not be written must not undo the work.
    await folder.written().catch((error: unknown) => engine.log.warn("the task's folder was not written", { reason: String(error) }));
  }
}

async function stepOn(run: StepRun, folder: TaskFolder): Promise<TaskState> {
  const { engine, signal } = run;
  const first = await engine.turns.with(() => loadTask(engine, run.taskId));
  const told = await tellWhatChanged(run, first);
  let state = await lookAtGoal(run, await verifyStart(run, told, told !== first));
  while (state.status === "running") {
    signal.throwIfAborted();
    if (state.pauseAsked) return pauseNow(run, state, folder);
    state = await lookAtGoal(run, await runStep(run, state));
  }
  return state;
}

/**
 * Files this task changed or has in view that someone else changed while it rested (EFF-093). What was seen
 * before the task's last command is left out: the command itself may have changed it.
 */
async function changedMeanwhile(run: StepRun, state: TaskState): Promise<string[]> {
  const commands = state.history.filter((record) => record.actions.some(({ action }) => action === "run_command"));
  const since = commands.at(-1)?.step ?? 0;
  const known = new Map<string, string | null>();
  for (const { source, step } of state.memory.items) if (source !== undefined && step > since) known.set(source.path, source.hash);
  for (const [path, { after, step }] of Object.entries(state.changedFiles)) if (step > since) known.set(path, after);
  const changed: string[] = [];
  for (const [path, hash] of known) {
    const now = await run.workspace.files.hash(path);
    if (now !== undefined && now !== hash) changed.push(path);
  }
  return changed.toSorted();
}

const TOLD = 8;

/** What is in view may be old after a rest; the agent hears of it once, before its next step. */
async function tellWhatChanged(run: StepRun, state: TaskState): Promise<TaskState> {
  if (state.step === 0 || state.pending !== undefined || state.status !== "running") return state;
  const changed = await changedMeanwhile(run, state);
  if (changed.length === 0) return state;
  const named = `${changed.slice(0, TOLD).join(", ")}${changed.length > TOLD ? ` and ${changed.length - TOLD} more` : ""}`;
  const advised = taskEvents.advised.create(
    { text: `While this task rested, someone else changed ${named}. What you see of it is old: read it again before you change it.` },
    { actor: SYSTEM.engine },
  );
  const written = await run.engine.store.journal.append(taskStream(state.created.id), "any", [advised], run.fence);
  const next = await loadTask(run.engine, state.created.id);
  await run.onAppend(written, next);
  return next;
}

async function pauseNow(run: StepRun, state: TaskState, folder: TaskFolder): Promise<TaskState> {
  const event = taskEvents.decided.create(
    {
      step: state.step,
      decision: "paused",
      why: "user_pauses",
      phase: state.phase,
      reason: "paused by the person",
      progress: false,
      limit: state.limit,
      code: "PAUSED",
    },
    { actor: USER },
  );
  const written = await run.engine.store.journal.append(taskStream(state.created.id), "any", [event], run.fence);
  const next = await loadTask(run.engine, state.created.id);
  folder.update(written, next);
  return next;
}
