/** The goal monitor's own record, on the stream `goal/<task>`. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

export const IMPASSE_TYPES = ["KNOWLEDGE_GAP", "CONSTRAINT_CONFLICT", "RESOURCE_EXHAUSTED", "CIRCULAR_DEPENDENCY", "AMBIGUITY"] as const;
export type ImpasseType = (typeof IMPASSE_TYPES)[number];

const assessmentSchema = z.object({
  impasse: z.boolean(),
  type: z.enum(IMPASSE_TYPES).nullable(),
  confidence: z.number().min(0).max(1),
  action: z.enum(["continue", "remediate", "escalate", "halt"]),
  remediation: z.string().nullable(),
  /** Percent. */
  progress: z.number().min(0).max(100),
  evidence: z.array(z.string()),
  judged_by: z.enum(["signals", "model"]),
});
export type Assessment = z.infer<typeof assessmentSchema>;

/** What each of the monitor's steps found; loading and writing are the event itself (GOA-002). */
const monitorSteps = z.object({
  learnt: z.array(z.string()),
  loaded: z.object({ said: z.string(), previous: z.string().nullable() }),
  goal: z.object({ request: z.string(), criteria: z.int(), constraints: z.int() }),
  progress: z.array(z.object({ criterion: z.string(), met: z.boolean().nullable(), evidence: z.string() })),
  impasse: z.array(z.object({ type: z.enum(IMPASSE_TYPES), confidence: z.number(), evidence: z.array(z.string()) })),
  remedy: z.string().nullable(),
  file: z.string(),
});
export type MonitorSteps = z.infer<typeof monitorSteps>;

const assessed = defineEvent({
  type: "goal.assessed",
  version: 1,
  schema: z.object({
    task: z.string(),
    from_step: z.int(),
    to_step: z.int(),
    assessment: assessmentSchema,
    steps: monitorSteps.optional(),
    skip_goal_monitor: z.literal(true),
  }),
});
/** Whether work got on within three steps of a remedy (GOA-009). */
const resolved = defineEvent({
  type: "goal.resolved",
  version: 1,
  schema: z.object({ task: z.string(), step: z.int(), type: z.enum(IMPASSE_TYPES), worked: z.boolean() }),
});

export const goalEvents = { assessed, resolved };
