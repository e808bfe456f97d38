/**
 * Runs a task from wherever its journal stands until it ends, waits or is stopped. One process owns
 * a task at a time; losing the ownership stops the run.
 */
import { SylkError } from "../kernel/index.ts";
import { driveRun, type Run, type RunHandler } from "../journal/index.ts";
import type { StepEngine } from "./engine.ts";
import { tellBeginning, tellRest, tellStep } from "./run-extensions.ts";
import { answerOf, restFor, withdrawOvertaken } from "./wait-for-answer.ts";
import { loadTask } from "./load-task.ts";
import { KeptTexts } from "./kept-texts.ts";
import { runStep } from "./run-step.ts";
import { verifyStart } from "./verdict/verify-step.ts";
import { recordsOf, type StepRun } from "./step-run.ts";
import { mustHaveTree } from "./trees/tree-in-place.ts";
import { createTaskFolder, type TaskFolder } from "./task-folder.ts";
import { standsAt, type TaskState } from "./task-state.ts";
import { taskView } from "./task-view.ts";
import { planning, taskTypeOf } from "./task-type.ts";
import { EVENTS, STREAMS, SYSTEM, USER, type JournalEvent } from "../protocol/events/index.ts";

export interface RunTaskOptions {
  engine: StepEngine;
  id: string;
  signal: AbortSignal;
}

export async function runTask(options: RunTaskOptions): Promise<TaskState> {
  const { engine, id, signal } = options;
  const start = await engine.turns.with(() => loadTask(engine, id));
  const folder = createTaskFolder(engine.tasksDir, id, engine.store.blobs, engine.clock);
  const heard = (events: JournalEvent[], state: TaskState): void => folder.update(events, state);
  try {
    return await driveRun({ ...engine.store, clock: engine.clock }, taskHandler(engine, start, folder), STREAMS.task(id), {
      signal,
      heard,
    });
  } catch (error) {
    throw takenOver(error, id);
  } finally {
    // The folder can be rebuilt at any time; that it could not be written must not undo the work.
    await folder.written().catch((error: unknown) => engine.log.warn("the task's folder was not written", { reason: String(error) }));
  }
}

/** What a run says of its owner, said of the task. */
function takenOver(error: unknown, id: string): unknown {
  if (SylkError.is(error, "RUN_TAKEN"))
    return new SylkError({
      code: "TASK_RUNS_ELSEWHERE",
      tier: "user_fixable",
      message: error.message.replace(STREAMS.task(id), `task ${id}`),
      fix: error.details["stopped"] === true ? error.fix : `watch it with \`sylk task watch ${id}\``,
      cause: error,
    });
  if (SylkError.is(error, "RUN_LOST") || SylkError.is(error, "JOURNAL_FENCED"))
    return new SylkError({
      code: "TASK_RUNS_ELSEWHERE",
      tier: "permanent",
      message: `task ${id} was taken over by another process; this one does nothing more`,
      fix: `watch it with \`sylk task watch ${id}\``,
      cause: error,
    });
  return error;
}

/** A task as a run: each advance is one step, from wherever its journal stands. */
function taskHandler(engine: StepEngine, start: TaskState, folder: TaskFolder): RunHandler<TaskState> {
  let steps: Promise<StepRun> | undefined;
  const step = async (durable: Run<TaskState>): Promise<void> => {
    if (steps === undefined) {
      steps = begin(engine, durable, start, folder);
      const run = await steps;
      const answer = await answerOf(engine, durable.state);
      if (answer !== undefined) await durable.append(answer);
      const told = await tellWhatChanged(run, durable.state);
      await verifyStart(run, durable.state, told);
      await tellStep(engine, durable);
      return;
    }
    const run = await steps;
    const { state } = durable;
    // A step that was under way is brought to its end first: what it did would be forgotten with it.
    if (state.pauseAsked && state.pending === undefined) return pauseNow(run, state);
    await runStep(run, state);
    await tellStep(engine, durable);
  };
  return {
    kind: "task",
    view: taskView,
    mayGoOn: ({ status }) => status !== "cancelled",
    async advance(durable) {
      // It came to its end in another process, which may have died before it left behind what it should.
      if (standsAt("ended", durable.state)) {
        // Ended by whoever took it over while this process slept: then all of that is theirs to do.
        await durable.mustOwn();
        await withdrawOvertaken(engine, durable.state);
        await tellRest(engine, durable);
        return "done";
      }
      if (steps === undefined) await engine.turns.with(() => tellBeginning(engine, durable));
      try {
        await step(durable);
      } catch (error) {
        if (!(await restFor(engine, durable, error))) throw error;
      }
      await withdrawOvertaken(engine, durable.state);
      if (durable.state.status === "running") return "again";
      await tellRest(engine, durable);
      return "done";
    },
  };
}

async function begin(engine: StepEngine, durable: Run<TaskState>, start: TaskState, folder: TaskFolder): Promise<StepRun> {
  const { created } = start;
  mustHaveTree(start);
  // Whatever a former process left unwritten of the readable folder is written now.
  if (start.step > 0) folder.rebuild(await engine.store.journal.read(durable.id), start);
  const workspace = engine.workspaceFor(created);
  const type = taskTypeOf(created, engine);
  workspace.processes.tidy(recordsOf(engine, created.id), start.pending === undefined ? undefined : String(start.pending.step));
  return engine.turns.with(() =>
    Promise.resolve({
      engine,
      // Whoever only looks does so in plan mode too.
      type: start.planning || ((engine.plansOnly || created.mode === "plan") && type.writes) ? planning(type, engine) : type,
      role: engine.roleOf(created.role),
      workspace,
      durable,
      signal: durable.signal,
      taskId: created.id,
      texts: new KeptTexts(engine.store.blobs),
      definitions: new Map(),
    }),
  );
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
async function tellWhatChanged(run: StepRun, state: TaskState): Promise<boolean> {
  if (state.step === 0 || state.pending !== undefined || state.status !== "running") return false;
  const changed = await changedMeanwhile(run, state);
  if (changed.length === 0) return false;
  const named = `${changed.slice(0, TOLD).join(", ")}${changed.length > TOLD ? ` and ${changed.length - TOLD} more` : ""}`;
  const advised = EVENTS.task.advised.create(
    { text: `While this task rested, someone else changed ${named}. What you see of it is old: read it again before you change it.` },
    { actor: SYSTEM.engine },
  );
  await run.durable.append(advised);
  return true;
}

async function pauseNow(run: StepRun, state: TaskState): Promise<void> {
  const event = EVENTS.task.decided.create(
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
  await run.durable.append(event);
}
