/** What the audit trail records, on the stream `audit`. */
import type { Json } from "../../kernel/index.ts";
import { auditPayload } from "../audit-record.ts";
import { defineEvent } from "./define-event.ts";
import { DEFAULT_SESSION } from "./ids.ts";

export const AUDIT_STREAM = "audit";

/** Version 1 wrote a task's id where the session's belongs. */
function withTask(old: Record<string, Json>): Record<string, Json> {
  const id = old["session_id"];
  return typeof id === "string" && id.startsWith("task_")
    ? { ...old, session_id: DEFAULT_SESSION, task_id: id }
    : { ...old, task_id: null };
}

export const auditEvents = { recorded: defineEvent({ type: "audit.recorded", version: 2, schema: auditPayload, upcast: withTask }) };
