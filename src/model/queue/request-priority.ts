/** How urgent a request is when nobody says otherwise (LLM-070, LLM-071). */
import type { Priority } from "../types.ts";

const BY_ROLE: Readonly<Record<string, Priority>> = {
  architect: 80,
  engineer: 60,
  designer: 60,
  inspector: 40,
  tester: 40,
  archivalist: 20,
  librarian: 20,
};

/** A person's own request comes first whoever serves it; roles not named here count as execution. */
export function requestPriority(role: string, invokedBy: "user" | "agent"): Priority {
  return invokedBy === "user" ? 100 : (BY_ROLE[role] ?? 60);
}
