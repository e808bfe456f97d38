/** Tasks, their changes and their work trees. */
import type { Questions } from "../../journal/index.ts";
import type { TaskApi, TaskTrees } from "../../step/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";

export interface TaskParts {
  tasks: TaskApi;
  trees: TaskTrees;
  questions: Questions;
}

const nothing = (): null => null;

export function taskHandlers({ tasks, trees, questions }: TaskParts) {
  return {
    commands: {
      "task.start": async ({ options }, signal) => ({ id: await tasks.start(options, signal) }),
      "task.run": async ({ id, attended }, signal) => {
        using _ = attended === true ? questions.attend(id) : undefined;
        return await tasks.run(id, signal);
      },
      "task.answer": ({ id, text }) => tasks.answer(id, text).then(nothing),
      "task.reopen": ({ id, extra_steps: extraSteps, model }) => tasks.reopen(id, { extraSteps, model }).then(nothing),
      "task.pause": ({ id }) => tasks.pause(id).then(nothing),
      "task.accept": ({ id, reason }, signal) => tasks.accept(id, reason, signal).then(nothing),
      "task.stopped": ({ id }) => tasks.stopped(id).then(nothing),
      "task.cancel": ({ id, reason }) => tasks.cancel(id, reason).then(nothing),
      "task.rebuild": async ({ id }) => ({ folder: await tasks.rebuild(id) }),
      "task.merge": ({ id, prefer }, signal) => trees.merge(id, prefer, signal),
      "task.discard": ({ id, force }) => trees.discard(id, { force }),
      "task.undo": ({ id, dry_run: dryRun, force, to_step: toStep }, signal) =>
        trees.undo(id, { dryRun, force, toStep, signal, questions }),
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
