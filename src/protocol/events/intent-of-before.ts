/** An intent of the first version had no revisions, and its criteria were texts of the person alone. */
import type { Json } from "../../kernel/index.ts";

export function intentOfBefore(old: Json | undefined): Json {
  if (typeof old !== "object" || old === null || Array.isArray(old)) return old ?? null;
  const criteria = Array.isArray(old["criteria"]) ? old["criteria"] : [];
  return { ...old, revision: 1, criteria: criteria.map((text) => ({ source: "explicit", text })), said: [] };
}
