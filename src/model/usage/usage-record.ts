/**
 * One record per provider call, also for failed, preempted and stopped ones (LLM-092). The journal's
 * records are the truth about spending; every report is a sum over them.
 */
import { z } from "zod";
import { defineEvent } from "../../journal/index.ts";

const usageRecordSchema = z.object({
  call_id: z.string(),
  attempt: z.int(),
  session: z.string(),
  task: z.string(),
  pipeline: z.string().nullable(),
  agent: z.string(),
  role: z.string(),
  phase: z.string(),
  step: z.int(),
  purpose: z.string(),
  provider: z.string(),
  model: z.string(),
  outcome: z.enum(["ok", "failed", "preempted", "aborted", "budget"]),
  error: z.string().nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  reasoning_tokens: z.int(),
  /** The provider did not report; counted here. */
  estimated: z.boolean(),
  /** Whole billionths of a dollar, so that sums are exact. */
  cost_nano_usd: z.int(),
  /** The price is a stated default, not a known one. */
  cost_assumed: z.boolean(),
  /** What the tokenizer said about the input beforehand; null when nobody counted. */
  counted_input_tokens: z.int().nullable(),
  latency_ms: z.number(),
  queued_ms: z.number(),
});
export type UsageRecord = z.output<typeof usageRecordSchema>;

export const callFinished = defineEvent("model.call_finished", usageRecordSchema);

export const NANO = 1_000_000_000;

/** All records of a session stand in one stream. */
export function usageStream(session: string): string {
  return `usage/${session}`;
}
