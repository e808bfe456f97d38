/** Tasks as surfaces see them. */
import { z } from "zod";
import { CHOICES } from "./choices.ts";
import { taskOutputs } from "./task-outputs.ts";

/** Beside what a decision may say: what a user did since. */
const taskWhy = z.enum([...CHOICES.decidedWhy, "waits_for_answer", "taken_back", "cancelled", "accepted"]);

export const taskSummary = z.strictObject({
  id: z.string(),
  /** The request it belongs to, or the session the user works in. */
  session: z.string(),
  goal: z.string(),
  type: z.string(),
  role: z.string(),
  status: z.enum(["running", "interrupted", "complete", "escalated", "failed", "paused", "cancelled"]),
  /** The user stopped it on purpose, and has not gone on with it. */
  stopped: z.literal(true).optional(),
  verified: z.boolean(),
  phase: z.string(),
  step: z.int(),
  step_limit: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  model: z.string(),
  /** Names of pictures that it is shown. */
  pictures: z.array(z.string()).optional(),
  /** What its steps cost so far; `usage` of the whole task counts more. */
  cost_usd: z.number(),
  /** Why it stands where it stands; `reason` says it in words. */
  why: taskWhy,
  reason: z.string(),
  code: z.string().optional(),
  question: z.string().optional(),
  /** For `sylk answer`. */
  question_id: z.string().optional(),
  report: z.string().optional(),
  /** What it handed over beside the report, as its type says. */
  outputs: taskOutputs.optional(),
  /** What shows that the goal is reached, when it is verified. */
  evidence: z.strictObject({ kind: z.enum(CHOICES.evidence), what: z.array(z.string()) }).optional(),
  /** What became of its own work tree. */
  tree: z.enum(["open", "merged", "discarded"]).optional(),
});

export const taskDetail = taskSummary.extend({
  criteria: z.array(z.string()),
  constraints: z.array(z.string()),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      command: z.string(),
      from: z.enum(["person", "project", "agent"]).optional(),
      passed: z.boolean().optional(),
      /** It neither passed nor failed. */
      could_not_run: z.boolean().optional(),
      summary: z.string().optional(),
    }),
  ),
  profile: z.string(),
  changed_files: z.array(z.string()),
  usage: z.object({
    input: z.int(),
    output: z.int(),
    cached: z.int(),
    cost_usd: z.number(),
    calls: z.int(),
    /** Of the calls, those that came to nothing and were made again, or paid in vain. */ failed: z.int(),
  }),
  steps: z.array(z.object({ step: z.int(), phase: z.string(), actions: z.array(z.string()), progress: z.boolean(), tokens: z.int() })),
  facts: z.array(z.string()),
  folder: z.string(),
  /** A command that outlived the process which worked on the task. */
  still_runs: z.strictObject({ command: z.string(), pid: z.int() }).optional(),
  /** Where it works, when that is a tree of its own. */
  work_tree: z.string().optional(),
  /** What came from there into the project's folder. */
  merged_files: z.array(z.string()).optional(),
});
