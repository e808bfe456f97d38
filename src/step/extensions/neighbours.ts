/** Two tasks that work in one folder at once change what the other relies on: it is told, and work trees are offered. */
import { wording } from "../../kernel/index.ts";
import type { Store } from "../../journal/index.ts";
import { STREAMS } from "../../protocol/events/index.ts";
import type { Notice, StepExtension } from "../extension.ts";
import { taskListView } from "../task-list-view.ts";
import type { TaskState } from "../task-state.ts";

/** How many tasks back are looked at. */
const LOOKED_BACK = 50;

export function createNeighbours(store: () => Promise<Store>): StepExtension {
  const besides = async ({ created }: TaskState): Promise<TaskState["created"][]> => {
    const { journal, work } = await store();
    const rows = await journal.list(taskListView, { prefix: "task/", reverse: true, limit: LOOKED_BACK });
    const others: TaskState["created"][] = [];
    for (const { state } of rows) {
      const { id, place } = state.created;
      if (state.status !== "running" || id === created.id || place.folder !== created.place.folder) continue;
      if ((await work.holder(STREAMS.task(id))) !== undefined) others.push(state.created);
    }
    return others;
  };
  return {
    name: "neighbours",
    async begins(task) {
      return (await besides(task)).map(({ id, goal }): Notice => ({
        about: "project",
        target: id,
        outcome: "folder_shared",
        summary: `another task works in this folder now: ${wording.oneLine(goal, 60)}; with -w each has a work tree of its own`,
      }));
    },
  };
}
