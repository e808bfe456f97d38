import { SylkError } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";

/** A whole id from a part of it, or from `last`. */
export async function taskId(cli: CliContext, which: string): Promise<string> {
  return (await (await cli.api()).query({ type: "task.resolve", id: which }, cli.signal)).id;
}

/** The same; what is no task (such as the forge) is taken as it is. */
export async function wholeTaskId(cli: CliContext, given: string): Promise<string> {
  try {
    return await taskId(cli, given);
  } catch (error) {
    if (SylkError.is(error, "TASK_NOT_FOUND")) return given;
    throw error;
  }
}
