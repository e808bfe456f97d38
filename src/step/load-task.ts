/** A task as the journal tells it; one that is not there is the user's mistake. */
import { SylkError } from "../kernel/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import type { StepEngine } from "./engine.ts";
import type { TaskState } from "./task-state.ts";
import { taskView } from "./task-view.ts";

export async function loadTask(engine: StepEngine, id: string): Promise<TaskState> {
  const state = await engine.store.journal.get(taskView, STREAMS.task(id));
  if (state === undefined)
    throw new SylkError({
      code: "TASK_NOT_FOUND",
      tier: "user_fixable",
      message: `there is no task ${id}`,
      fix: "`sylk task list` shows them",
    });
  return state;
}
