/** One record of the audit trail (AUD-001, AUD-002). Place, time and hash chain are the journal's. */
import { z } from "zod";
import { CHOICES } from "./choices.ts";

export const auditPayload = z.strictObject({
  category: z.enum(CHOICES.audit.category),
  event_type: z.string(),
  severity: z.enum(CHOICES.audit.severity),
  outcome: z.enum(CHOICES.audit.outcome),
  action: z.string(),
  target: z.string().nullable(),
  /** More of the same, permitted alike: what else a step read. */
  also: z.array(z.string()).optional(),
  /** The rule that permitted or refused it. */
  rule: z.string().nullable(),
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  workflow_id: z.string().nullable(),
  agent_type: z.string().nullable(),
  details: z.record(z.string(), z.json()),
});
