/** Ends a task on a person's word: what it did stands, verified or not, and is called what it is. */
import { SylkError, shortIds } from "../kernel/index.ts";
import { owning } from "../journal/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import type { StepEngine } from "./engine.ts";
import { loadTask } from "./load-task.ts";
import { runTask } from "./run-task.ts";
import { withdrawQuestions } from "./wait-for-answer.ts";

function cannotAccept(id: string, why: string, fix?: string): SylkError {
  return new SylkError({
    code: "TASK_WRONG_STATUS",
    tier: "user_fixable",
    message: `task ${id} ${why}`,
    ...(fix === undefined ? {} : { fix }),
  });
}

export async function acceptTask(engine: StepEngine, id: string, reason: string, signal: AbortSignal): Promise<void> {
  const { store, clock } = engine;
  const key = STREAMS.task(id);
  try {
    await owning({ work: store.work, clock }, key, { signal }, async () => {
      const { status, verified, why } = await loadTask(engine, id);
      if (status === "cancelled") throw cannotAccept(id, "was cancelled; it cannot be accepted");
      if (status === "complete" && (verified || why === "accepted"))
        throw cannotAccept(id, verified ? "is complete and verified; there is nothing to accept" : "is accepted already");
      await store.journal.append(key, "any", [EVENTS.task.accepted.create({ reason }, { actor: USER })]);
      await withdrawQuestions(engine.questions, id, "the task was accepted as it is");
    });
  } catch (error) {
    if (!SylkError.is(error, "RUN_TAKEN")) throw error;
    throw cannotAccept(id, "is at work", `wait for it, or \`sylk task pause ${shortIds.shorten(id)}\` first`);
  }
  // What a task leaves behind at its end, this one does too.
  await runTask({ engine, id, signal });
}
