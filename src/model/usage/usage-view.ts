/**
 * Usage summed per day, session, task, pipeline, role and model; reports add rows up. Because every
 * record lands in exactly one row, every breakdown has the same total.
 */
import { isoTime } from "../../kernel/index.ts";
import type { View } from "../../journal/index.ts";
import { EVENTS, type Payload } from "../../protocol/events/index.ts";

export interface UsageSums {
  calls: number;
  failures: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  costNanoUsd: number;
  /** Part of the cost that rests on assumed prices. */
  assumedCostNanoUsd: number;
  estimatedCalls: number;
  /** Over calls where the tokenizer's count and the provider's report are both known. */
  countedTokens: number;
  reportedTokens: number;
  latencyMs: number;
  queuedMs: number;
}

export interface UsageRow extends UsageSums {
  day: string;
  session: string;
  task: string;
  pipeline: string;
  role: string;
  provider: string;
  model: string;
}

export const NO_SUMS: UsageSums = {
  calls: 0,
  failures: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costNanoUsd: 0,
  assumedCostNanoUsd: 0,
  estimatedCalls: 0,
  countedTokens: 0,
  reportedTokens: 0,
  latencyMs: 0,
  queuedMs: 0,
};

export function addSums(a: UsageSums, b: UsageSums): UsageSums {
  const sum: Record<string, number> = {};
  for (const key of Object.keys(NO_SUMS) as (keyof UsageSums)[]) sum[key] = a[key] + b[key];
  return sum as unknown as UsageSums;
}

function sumsOf(record: Payload<"model.call_finished">): UsageSums {
  const comparable = record.counted_input_tokens !== null && !record.estimated && record.input_tokens > 0;
  return {
    calls: 1,
    failures: record.outcome === "failed" ? 1 : 0,
    inputTokens: record.input_tokens,
    outputTokens: record.output_tokens,
    cacheReadTokens: record.cache_read_tokens,
    cacheWriteTokens: record.cache_write_tokens,
    reasoningTokens: record.reasoning_tokens,
    costNanoUsd: record.cost_nano_usd,
    assumedCostNanoUsd: record.cost_assumed ? record.cost_nano_usd : 0,
    estimatedCalls: record.estimated ? 1 : 0,
    countedTokens: comparable ? (record.counted_input_tokens ?? 0) : 0,
    reportedTokens: comparable ? record.input_tokens : 0,
    latencyMs: record.latency_ms,
    queuedMs: record.queued_ms,
  };
}

/** Keys of all rows of one task on one day begin with this; without a task, those of the session. */
export function usagePrefix(day: string, session: string, task?: string): string {
  return `${[day, session, ...(task === undefined ? [] : [task])].map(encodeURIComponent).join("/")}/`;
}

export const usageView: View<UsageRow> = {
  name: "model.usage",
  version: 2,
  types: [EVENTS.usage.callFinished.type],
  key(event) {
    if (!EVENTS.usage.callFinished.is(event)) return undefined;
    const { session, task, pipeline, role, provider, model } = event.payload;
    return [isoTime(event.at).slice(0, 10), session, task, pipeline ?? "", role, provider, model].map(encodeURIComponent).join("/");
  },
  reduce(row, event) {
    const record = event.payload as unknown as Payload<"model.call_finished">;
    const { session, task, role, provider, model } = record;
    const place = { day: isoTime(event.at).slice(0, 10), session, task, pipeline: record.pipeline ?? "", role, provider, model };
    return { ...place, ...addSums(row ?? NO_SUMS, sumsOf(record)) };
  },
};
