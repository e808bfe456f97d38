/** What each phase leaves at its checkpoint, as the three windows of the phase memory (WMB-008). */
import { z } from "zod";

export const PHASES = ["prepare", "understand", "generate", "validate", "approve", "persist", "report"] as const;
export type PhaseName = (typeof PHASES)[number];

export const MAX_REQUEST_CHARS = 2_000;

/** Phase 0: what this run is about, before anything is read. */
export const preparedWindow = z.object({
  origin: z.enum(["create", "update", "extract", "import"]),
  targets: z.array(z.object({ target: z.string(), folder: z.string() })),
  /** Root the skill folders stand below: the project or home. */
  global: z.boolean(),
  model: z.string().nullable(),
  wanted_name: z.string().nullable(),
  /** What was asked, so that a killed run can go on; null when it must not be kept. */
  request: z
    .object({
      wish: z.string().nullable(),
      template: z.string(),
      source: z.object({ text: z.string(), files: z.record(z.string(), z.string()) }).nullable(),
    })
    .nullable(),
});
export type PreparedWindow = z.infer<typeof preparedWindow>;

export const inputWindow = z.object({
  description: z.string().max(MAX_REQUEST_CHARS),
  target_cli: z.array(z.string()),
  template_name: z.string(),
  raw_input: z.string(),
  parsed_at: z.int(),
  input_hash: z.string(),
  input_valid: z.boolean(),
  input_errors: z.array(z.string()),
  understanding: z.object({
    domain: z.array(z.string()),
    actions: z.array(z.string()),
    audience: z.string(),
    complexity: z.enum(["simple", "compound"]),
    kind: z.enum(["knowledge", "action"]),
  }),
  /** An existing skill or document this one starts from. */
  source: z.object({ text: z.string(), files: z.record(z.string(), z.string()) }).nullable(),
});
export type InputWindow = z.infer<typeof inputWindow>;

const checkResult = z.object({
  number: z.int(),
  title: z.string(),
  severity: z.enum(["CRITICAL", "WARNING", "INFO"]),
  result: z.enum(["passed", "failed", "open"]),
  judge: z.enum(["code", "model", "nobody"]),
  detail: z.string(),
});

export const processingWindow = z.object({
  skill_name: z.string(),
  skill_content: z.string(),
  skill_files: z.record(z.string(), z.string()),
  metadata: z.object({ lines: z.int(), tokens: z.int(), grade: z.string() }).nullable(),
  template_used: z.string(),
  written_by: z.enum(["template", "model", "person"]),
  category_inferred: z.enum(["knowledge", "action"]),
  generated_at: z.int(),
  validation_passed: z.boolean(),
  validation_errors: z.array(z.string()),
  validation_timestamp: z.int().nullable(),
  checks: z.array(checkResult),
  /** What repair rounds and edits changed. */
  corrections: z.array(z.string()),
});
export type ProcessingWindow = z.infer<typeof processingWindow>;

export const approvalWindow = z.object({
  collision_detected: z.boolean(),
  collision_details: z.array(z.string()),
  human_gate_response: z.enum(["approve", "reject"]),
  human_gate_timestamp: z.int(),
  action_chosen: z.enum(["overwrite", "rename", "cancel"]).nullable(),
  backup_path: z.string().nullable(),
  new_skill_name: z.string().nullable(),
  persistence_ready: z.boolean(),
});
export type ApprovalWindow = z.infer<typeof approvalWindow>;
