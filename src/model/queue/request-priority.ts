/** How urgent a request is when nobody says otherwise (LLM-070, LLM-071). */
import type { RoleSpec } from "../../protocol/index.ts";
import type { Priority } from "../types.ts";

/** The user's own request comes first whoever serves it. */
export function requestPriority(role: Pick<RoleSpec, "priority">, invokedBy: "user" | "agent"): Priority {
  return invokedBy === "user" ? 100 : role.priority;
}
