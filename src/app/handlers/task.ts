/** Tasks, their changes and their work trees. */
import type { Questions } from "../../journal/index.ts";
import type { TaskTrees } from "../../step/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { TaskApi } from "../../step/index.ts";

export interface TaskParts {
  tasks: TaskApi;
  trees: TaskTrees;
  questions: Questions;
}

export function taskHandlers({ tasks, trees, questions }: TaskParts) {
  return {
    commands: {
      "task.start": async ({ options }) => ({ id: await tasks.start(options) }),
      "task.run": async ({ id, attended }, signal) => {
        using _ = attended === true ? questions.attend(id) : undefined;
        return await tasks.run(id, signal);
      },
      "task.answer": async ({ id, text }) => {
        await tasks.answer(id, text);
        return null;
      },
      "task.reopen": async ({ id, extra_steps: extraSteps, model }) => {
        await tasks.reopen(id, { extraSteps, model });
        return null;
      },
      "task.pause": async ({ id }) => {
        await tasks.pause(id);
        return null;
      },
      "task.accept": async ({ id, reason }, signal) => {
        await tasks.accept(id, reason, signal);
        return null;
      },
      "task.cancel": async ({ id, reason }) => {
        await tasks.cancel(id, reason);
        return null;
      },
      "task.rebuild": async ({ id }) => ({ folder: await tasks.rebuild(id) }),
      "task.merge": ({ id, prefer }, signal) => trees.merge(id, prefer, signal),
      "task.discard": ({ id, force }) => trees.discard(id, { force }),
      "task.undo": ({ id, dry_run: dryRun, force, to_step: toStep }, signal) => trees.undo(id, { dryRun, force, toStep, signal }),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "task.list": ({ limit }) => tasks.list({ limit }),
      "task.count": () => tasks.count(),
      "task.show": ({ id }) => tasks.show(id),
      "task.resolve": async ({ id }) => ({ id: await tasks.resolve(id) }),
      "task.context": ({ id, step }) => tasks.context(id, step),
      "task.diff": ({ id, step }, signal) => trees.diff(id, step, signal),
      "goal.stats": () => tasks.goalStats(),
    } satisfies Partial<QueryHandlers>,
  };
}
