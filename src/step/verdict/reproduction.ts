/** A command that fails because of what is wrong: a check like all others, with a name of its own. */
import type { Payload } from "../../protocol/events/index.ts";

export const REPRODUCTION = "reproduction";

export function reproductionCheck(command: string): Payload<"task.created">["checks"][number] {
  return { name: REPRODUCTION, command, from: "person" };
}
