/** A command outlives the process that started it for a task: whoever shows or undoes the task must say so. */
import { z } from "zod";
import type { Workspace } from "../workspace/index.ts";
import { recordsOf } from "./step-run.ts";
import type { TaskState } from "./task-state.ts";

const commandArgs = z.object({ command: z.string() });

/** The command of an unfinished step that still runs; undefined when none does. */
export function leftRunning(workspace: Workspace, tasksDir: string, state: TaskState): { command: string; pid: number } | undefined {
  const args = state.pending?.intended.map((intent) => commandArgs.safeParse(intent.args).data).find((found) => found !== undefined);
  if (args === undefined) return undefined;
  const [pid] = workspace.processes.running(recordsOf({ tasksDir }, state.created.id));
  return pid === undefined ? undefined : { command: args.command, pid };
}
