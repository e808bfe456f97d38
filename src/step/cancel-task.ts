/**
 * Ends a task for good. It is over when this returns: whoever worked on it has let go of it, what it had running is
 * ended, and nothing half written lies about.
 */
import { existsSync } from "node:fs";
import { SylkError, withDeadline } from "../kernel/index.ts";
import { owning } from "../journal/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import type { StepEngine } from "./engine.ts";
import { loadTask } from "./load-task.ts";
import { recordsOf } from "./step-run.ts";
import { withdrawQuestions } from "./wait-for-answer.ts";
import { placeFolder, PROJECT } from "./place-folder.ts";

/** How long its owner is given to notice. */
const LET_GO_MS = 20_000;

export async function cancelTask(engine: StepEngine, id: string, reason: string): Promise<void> {
  const { store, clock } = engine;
  const key = STREAMS.task(id);
  await store.journal.append(key, "any", [EVENTS.task.cancelled.create({ reason }, { actor: USER })]);
  await withdrawQuestions(engine.questions, id, "the task was cancelled");
  try {
    await withDeadline({ clock, timeoutMs: LET_GO_MS, what: "letting go of the task" }, (signal) =>
      owning({ work: store.work, clock }, key, { waits: true, signal }, () => tidy(engine, id)),
    );
  } catch (error) {
    if (!SylkError.is(error, "DEADLINE_PASSED")) throw error;
    throw stillHeld(id, (await store.work.holder(key))?.holder, error);
  }
}

/** A change that was under way may have left files beside its targets, or a command. */
async function tidy(engine: StepEngine, id: string): Promise<void> {
  const { created, changedFiles } = await loadTask(engine, id);
  const isThere = existsSync(placeFolder(engine.projectDir, created.place));
  await using workspace = engine.workspaceFor(isThere ? created : { ...created, place: PROJECT });
  workspace.processes.tidy(recordsOf(engine, id));
  if (!isThere) return;
  await workspace.files.sweep(Object.keys(changedFiles));
}

function stillHeld(id: string, holder: string | undefined, cause: unknown): SylkError {
  return new SylkError({
    code: "TASK_STILL_HELD",
    tier: "user_fixable",
    message: `task ${id} is cancelled and begins nothing more, but the process that works on it (${holder ?? "unknown"}) has not answered for ${LET_GO_MS / 1000} s`,
    fix: "a command it started may still run: end that process",
    cause,
  });
}
