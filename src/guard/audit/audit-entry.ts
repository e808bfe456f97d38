/** What the audit trail records (AUD-001, AUD-002). Place, time and hash chain are the journal's. */
import { z } from "zod";
import { defineEvent } from "../../journal/index.ts";

export const AUDIT_CATEGORIES = ["permission", "file", "process", "network", "llm", "session", "config"] as const;
export type AuditCategory = (typeof AUDIT_CATEGORIES)[number];
export const AUDIT_SEVERITIES = ["info", "warning", "security", "critical"] as const;
export type AuditSeverity = (typeof AUDIT_SEVERITIES)[number];
export const AUDIT_OUTCOMES = ["allowed", "denied", "error"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

const payloadSchema = z.strictObject({
  category: z.enum(AUDIT_CATEGORIES),
  event_type: z.string(),
  severity: z.enum(AUDIT_SEVERITIES),
  outcome: z.enum(AUDIT_OUTCOMES),
  action: z.string(),
  target: z.string().nullable(),
  /** The rule that permitted or refused it. */
  rule: z.string().nullable(),
  session_id: z.string().nullable(),
  workflow_id: z.string().nullable(),
  agent_type: z.string().nullable(),
  details: z.record(z.string(), z.json()),
});
export type AuditPayload = z.infer<typeof payloadSchema>;

export const AUDIT_STREAM = "audit";
export const auditRecorded = defineEvent("audit.recorded", payloadSchema);

/** Events of other floors that belong to the trail, by the first part of their type. */
const CATEGORY_OF_PREFIX: Readonly<Record<string, AuditCategory>> = {
  model: "llm",
  session: "session",
  task: "session",
  step: "session",
  plan: "session",
  pipeline: "session",
  config: "config",
  credential: "config",
  git: "file",
  workspace: "file",
  sandbox: "process",
};

export function categoryOfEvent(type: string): AuditCategory | undefined {
  const prefix = type.split(".")[0] as string;
  return Object.hasOwn(CATEGORY_OF_PREFIX, prefix) ? CATEGORY_OF_PREFIX[prefix] : undefined;
}
