/** Tasks as surfaces see them. */
import { z } from "zod";
import { decidedWhy } from "./events/index.ts";

/** Beside what a decision may say: what a user did since. */
const taskWhy = z.enum([...decidedWhy.options, "waits_for_answer", "taken_back", "cancelled"]);
export type TaskWhy = z.infer<typeof taskWhy>;

export const taskSummary = z.strictObject({
  id: z.string(),
  goal: z.string(),
  type: z.string(),
  role: z.string(),
  status: z.enum(["running", "interrupted", "complete", "escalated", "failed", "paused", "cancelled"]),
  verified: z.boolean(),
  phase: z.string(),
  step: z.int(),
  step_limit: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  model: z.string(),
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
  /** What became of its own work tree. */
  tree: z.enum(["open", "merged", "discarded"]).optional(),
});
export type TaskSummary = z.infer<typeof taskSummary>;

export const taskDetail = taskSummary.extend({
  criteria: z.array(z.string()),
  constraints: z.array(z.string()),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      command: z.string(),
      from: z.enum(["person", "project"]).optional(),
      passed: z.boolean().optional(),
      summary: z.string().optional(),
    }),
  ),
  profile: z.string(),
  changed_files: z.array(z.string()),
  usage: z.object({ input: z.int(), output: z.int(), cached: z.int(), cost_usd: z.number(), calls: z.int() }),
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
export type TaskDetail = z.infer<typeof taskDetail>;

/** What `task start --json` prints, one a line. The first carries the version of this format. */
export type TaskLine =
  | { type: "task"; version: 1; id: string; goal: string; model: string }
  | {
      type: "step";
      id: string;
      step: number;
      phase: string;
      text: string;
      tokens: number;
      usage: { input: number; output: number; cached: number; cost_usd: number | null };
    }
  | { type: "action"; id: string; step: number; action: string; target: string; ok: boolean; outcome: string; summary: string }
  | { type: "verification"; id: string; step: number; ready: boolean; checks: { name: string; passed: boolean; summary: string }[] }
  | { type: "decision"; id: string; step: number; decision: string; phase: string; why: TaskSummary["why"]; reason: string }
  | { type: "question"; id: string; question: string; text: string }
  | { type: "tree"; id: string; what: "created" | "merged" | "undone" | "discarded"; summary: string }
  | {
      type: "outcome";
      id: string;
      status: TaskSummary["status"];
      verified: boolean;
      step: number;
      why: TaskSummary["why"];
      reason: string;
      question?: string | undefined;
      question_id?: string | undefined;
      report?: string | undefined;
      usage: TaskDetail["usage"];
    };
