export { createTask, type NewTask } from "./create-task.ts";
export { runTask, loadTask } from "./run-task.ts";
export { createRegistry } from "./actions/registry.ts";
export { createTaskFolder } from "./task-folder.ts";
export { taskStream, taskView, withChanges, type TaskState } from "./task-state.ts";
export {
  taskActed,
  taskAnswered,
  taskCancelled,
  taskCreated,
  taskDecided,
  taskKept,
  taskPauseAsked,
  taskResumed,
  taskStepped,
  taskUndone,
  taskVerified,
} from "./task-events.ts";
export { goalStatsView, goalView, type GoalStats } from "./monitor/goal-events.ts";
export type { StepEngine } from "./engine.ts";
export { defineAction, type Action, type RelatedFile } from "./actions/action.ts";
export { fitLines } from "./context/fit-lines.ts";
export { taskDiff } from "./task-diff.ts";
export { ignoredOverrides } from "./task-type.ts";
