/** What the audit trail records (AUD-001, AUD-002), on the stream `audit`. Place, time and hash chain are the journal's. */
import { z } from "zod";
import type { Json } from "../../kernel/index.ts";
import { defineEvent } from "./define-event.ts";
import { DEFAULT_SESSION } from "./ids.ts";

/** What a record may be about, how grave it is, how it ended. */
export const AUDIT_WORDS = {
  category: ["permission", "file", "process", "network", "llm", "session", "config"],
  severity: ["info", "warning", "security", "critical"],
  outcome: ["allowed", "denied", "error"],
} as const;

export const auditPayload = z.strictObject({
  category: z.enum(AUDIT_WORDS.category),
  event_type: z.string(),
  severity: z.enum(AUDIT_WORDS.severity),
  outcome: z.enum(AUDIT_WORDS.outcome),
  action: z.string(),
  target: z.string().nullable(),
  /** The rule that permitted or refused it. */
  rule: z.string().nullable(),
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  workflow_id: z.string().nullable(),
  agent_type: z.string().nullable(),
  details: z.record(z.string(), z.json()),
});
export type AuditPayload = z.infer<typeof auditPayload>;

export const AUDIT_STREAM = "audit";

/** Version 1 wrote a task's id where the session's belongs. */
function withTask(old: Record<string, Json>): Record<string, Json> {
  const id = old["session_id"];
  return typeof id === "string" && id.startsWith("task_")
    ? { ...old, session_id: DEFAULT_SESSION, task_id: id }
    : { ...old, task_id: null };
}

export const auditEvents = { recorded: defineEvent({ type: "audit.recorded", version: 2, schema: auditPayload, upcast: withTask }) };
