/**
 * Tasks as lists show them: the same fold, without what only the task's own next step needs. Small enough to be kept
 * with every event, so a list costs what is shown of it, however long the tasks are and however many there were.
 */
import type { View } from "../journal/index.ts";
import { emptyMemory } from "../memory/index.ts";
import type { TaskState } from "./task-state.ts";
import { taskView } from "./task-view.ts";

const SHOWN_CHARS = 2_000;

function slim(state: TaskState): TaskState {
  const { created, merged } = state;
  return {
    ...state,
    created: { ...created, goal: created.goal.slice(0, SHOWN_CHARS), criteria: [], constraints: [], checks: [], rules: [], inputs: {} },
    pending: undefined,
    current: undefined,
    history: [],
    memory: emptyMemory,
    changedFiles: {},
    seen: [],
    verification: undefined,
    atStart: undefined,
    report: state.report?.slice(0, SHOWN_CHARS),
    answers: [],
    merging: undefined,
    merged: merged === undefined ? undefined : { ...merged, files: [] },
    lastDetail: {},
    words: [],
    dropped: [],
    notices: [],
  };
}

export const taskListView: View<TaskState> = {
  name: "task_list",
  version: taskView.version,
  key: (event) => taskView.key(event),
  reduce(state, event, key) {
    const next = taskView.reduce(state, event, key);
    return next === undefined ? undefined : slim(next);
  },
};
