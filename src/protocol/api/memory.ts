/** What agents remember, what the user prefers, and what went wrong before. */
import { z } from "zod";
import { defineCall, none, nothing } from "./define-call.ts";

const agent = z.string();
const words = z.array(z.string());

const budgetStatus = z.strictObject({
  status: z.enum(["ok", "warn", "alert", "archive_needed", "no_budget"]),
  usage_ratio: z.number().nullable(),
  tokens_used: z.number().nullable(),
  tokens_budget: z.number().nullable(),
  tokens_projected: z.number().nullable(),
  message: z.string(),
});

const budgetLine = budgetStatus.extend({
  agent,
  tier: z.int(),
  tokens: z.int(),
  ground_truth_tokens: z.int(),
  ground_truth_budget: z.number().nullable(),
});

const decision = z.strictObject({
  /** `YYYY-MM-DD`, or a placeholder when it could not be read. */
  date: z.string(),
  title: z.string(),
  agent,
  workflow: z.string(),
  sprint: z.string(),
  type: z.string(),
  status: z.string(),
  related: words,
  body: z.string(),
  raw: z.string(),
  tail: z.string(),
  warnings: words,
});

const loaded = z.strictObject({
  agent,
  tier: z.literal([1, 2, 3]),
  decisions: z.array(decision),
  /** Decisions that did not fit. */
  left_out: z.int(),
  context: z.string(),
  ground_truth: z.string(),
  references: z.array(z.strictObject({ agent, file: z.string(), mode: z.string(), sha256: z.string(), tokens: z.int(), text: z.string() })),
  downgrades: words,
  warnings: words,
  tokens: z.strictObject({ own: z.int(), references: z.int(), budget: z.number().nullable() }),
  stale: z.array(z.strictObject({ title: z.string(), because: z.string() })),
});

const saved = z.strictObject({
  text: z.string(),
  report: z.strictObject({ agent, entries: z.int(), archived: z.int(), budget: budgetStatus, session: budgetStatus }).nullable(),
});

const refreshReport = z.strictObject({
  agent,
  mode: z.enum(["full", "incremental"]),
  entries: z.int(),
  delta: z.strictObject({
    added: words,
    updated: z.array(z.strictObject({ source: z.string(), from: z.string(), to: z.string() })),
    unchanged: z.int(),
    removed: words,
    /** Malformed ones: rebuilt from their source, or kept as they are. */
    rebuilt: words,
    kept_malformed: words,
  }),
  tokens: z.int(),
  budget: z.number().nullable(),
  light: z.enum(["green", "yellow", "red"]),
  archive_candidates: words,
  archived: z.int(),
  notes: words,
});

const agentRefresh = z.discriminatedUnion("ok", [
  z.strictObject({ agent, ok: z.literal(true), report: refreshReport }),
  z.strictObject({ agent, ok: z.literal(false), reason: z.string() }),
]);

const finding = z.strictObject({
  id: z.string(),
  class: z.string(),
  agent,
  entry: z.string(),
  date: z.string(),
  evidence: z.string(),
  action: z.enum(["review", "archive"]),
  /** May be applied without another look; the rest is advice. */
  actionable: z.boolean(),
  likely_rename: z.string().optional(),
});

const hygiene = z.strictObject({
  summary: z.strictObject({ agents: z.int(), entries: z.int(), active: z.int(), findings: z.int() }),
  budgets: z.array(budgetStatus.extend({ agent })),
  findings: z.array(finding),
  references: z.array(z.strictObject({ agent, reads: z.string(), file: z.string(), problem: z.string() })),
  /** Where the matrix, the agents and their definitions do not fit together. */
  matrix: words,
  archival: z.array(finding),
  refresh: z.array(z.strictObject({ agent, advice: z.string() })),
  next_steps: words,
});

const change = z.strictObject({
  event: z.string(),
  position: z.int(),
  at: z.int(),
  actor: z.string(),
  file: z.string(),
  reason: z.string(),
  entries: z.int(),
  before: z.string().nullable(),
  after: z.string(),
  note: z.string(),
});

const feedback = z.array(z.strictObject({ key: z.string(), value: z.string(), how: z.enum(["said", "accepted", "rejected"]) }));

const preferences = z.strictObject({
  explicit: z.record(z.string(), z.string()),
  implicit: z.record(z.string(), z.strictObject({ value: z.string(), confidence: z.number(), evidence: words, observed_at: z.number() })),
  resolved: z.record(z.string(), z.string()),
});

const known = {
  pattern: z.string(),
  error: z.string(),
  fix: z.string(),
  context: z.string(),
  confidence: z.number(),
  occurrences: z.int(),
  /** How loudly it is told, what happened, what helped, what to do. */
  alert: z.string(),
};
const mistake = z.strictObject({
  id: z.string(),
  tags: words,
  ...known,
  /** What was tried, without what belongs to one place alone. */
  approach_signature: z.string(),
  session_ids: words,
  created_at: z.number(),
  last_seen_at: z.number(),
});

const entry = z.strictObject({
  title: z.string(),
  body: z.string(),
  type: z.string(),
  status: z.string(),
  sprint: z.string(),
  related: words,
});

export const commands = {
  /** Dry: the entry as it would be written. */
  "memory.save": defineCall(z.strictObject({ agent, entry, dry_run: z.boolean(), archive: z.boolean() }), saved),
  /** Its progress is live, about `refresh`. */
  "memory.refresh": defineCall(
    z.strictObject({ agent, incremental: z.boolean(), dry_run: z.boolean(), archive: z.boolean() }),
    z.array(agentRefresh),
  ),
  /** Archives what these findings name; those done, or those that would be. */
  "memory.apply": defineCall(z.strictObject({ ids: words, dry_run: z.boolean() }), words),
  /** By position, by event id or a part of it. */
  "memory.restore": defineCall(z.strictObject({ agent, which: z.string(), dry_run: z.boolean() }), change),
  /** `preference:<key>`, `mistake:<id>` or `<agent>/<date>/<title>`. */
  "memory.forget": defineCall(
    z.strictObject({ what: z.string(), dry_run: z.boolean() }),
    z.strictObject({ forgotten: z.string(), how: z.string() }),
  ),
  "memory.learn": defineCall(z.strictObject({ feedback }), nothing),
  "memory.report_mistake": defineCall(
    z.strictObject({ pattern: z.string(), error: z.string(), fix: z.string(), dry_run: z.boolean() }),
    z.strictObject({ recorded: z.boolean(), id: z.string(), merged: z.boolean() }),
  ),
};

export const queries = {
  "memory.agents": defineCall(none, words),
  "memory.load": defineCall(z.strictObject({ agent, recent: z.int().optional() }), loaded),
  "memory.budget": defineCall(none, z.array(budgetLine)),
  "memory.hygiene": defineCall(none, hygiene),
  "memory.log": defineCall(z.strictObject({ agent }), z.array(change)),
  /** All, or those of one category; as they are, or as they would be after this feedback. */
  "memory.preferences": defineCall(z.strictObject({ category: z.string().optional(), supposed: feedback.optional() }), preferences),
  /** All of them, or what is known about an approach. */
  "memory.mistakes": defineCall(
    z.strictObject({ approach: z.string().optional() }),
    z.union([
      z.array(mistake),
      z.strictObject({ known_issues: z.literal(false) }),
      z.strictObject({ known_issues: z.literal(true), warnings: z.array(z.strictObject(known)) }),
    ]),
  ),
};
