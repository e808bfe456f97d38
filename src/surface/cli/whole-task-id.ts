import { isSylkError } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";

/** A part of a task's id is enough; what is no task (such as the forge) is taken as it is. */
export async function wholeTaskId(cli: CliContext, given: string): Promise<string> {
  try {
    return await (await cli.app()).tasks.resolve(given);
  } catch (error) {
    if (isSylkError(error, "TASK_NOT_FOUND")) return given;
    throw error;
  }
}
