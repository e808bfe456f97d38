/** What the journal keeps about one attempt. */
import { NANO } from "../usage/usage-record.ts";
import type { AttemptContext, AttemptVerdict } from "./attempt-context.ts";
import type { Payload } from "../../protocol/events/index.ts";

export function recordAttempt(
  context: Pick<AttemptContext, "callId" | "attempt" | "request" | "target">,
  verdict: AttemptVerdict,
  ending: { latencyMs: number; queuedMs: number },
  costAssumed: boolean,
): Payload<"model.call_finished"> {
  const { request, target } = context;
  const { usage } = verdict;
  return {
    call_id: context.callId,
    attempt: context.attempt,
    session: request.session,
    task: request.task,
    run: request.run ?? null,
    pipeline: request.pipeline ?? null,
    agent: request.agent ?? request.role,
    role: request.role,
    phase: request.phase,
    step: request.step,
    purpose: request.purpose,
    provider: target.provider,
    model: target.model,
    outcome: verdict.kind,
    error: verdict.kind === "failed" || verdict.kind === "budget" ? verdict.error.code : null,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    estimated: usage.estimated,
    cost_nano_usd: Math.round(verdict.costUsd * NANO),
    cost_assumed: costAssumed,
    counted_input_tokens: request.inputTokens ?? null,
    latency_ms: Math.round(ending.latencyMs),
    queued_ms: Math.round(ending.queuedMs),
  };
}
