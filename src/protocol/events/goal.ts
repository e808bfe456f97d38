/** The goal monitor's own record, on the stream `goal/<task>`. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { defineEvent } from "./define-event.ts";

const assessmentSchema = z.object({
  impasse: z.boolean(),
  type: z.enum(CHOICES.impasseType).nullable(),
  confidence: z.number().min(0).max(1),
  action: z.enum(["continue", "remediate", "escalate", "halt"]),
  remediation: z.string().nullable(),
  /** Percent. */
  progress: z.number().min(0).max(100),
  evidence: z.array(z.string()),
  judged_by: z.enum(["signals", "model"]),
});

/** What each of the monitor's steps found; loading and writing are the event itself (GOA-002). */
const monitorSteps = z.object({
  learnt: z.array(z.string()),
  loaded: z.object({ said: z.string(), previous: z.string().nullable() }),
  goal: z.object({ request: z.string(), criteria: z.int(), constraints: z.int() }),
  progress: z.array(z.object({ criterion: z.string(), met: z.boolean().nullable(), evidence: z.string() })),
  impasse: z.array(z.object({ type: z.enum(CHOICES.impasseType), confidence: z.number(), evidence: z.array(z.string()) })),
  remedy: z.string().nullable(),
  file: z.string(),
});

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
  schema: z.object({ task: z.string(), step: z.int(), type: z.enum(CHOICES.impasseType), worked: z.boolean() }),
});

export const goalEvents = { assessed, resolved };
