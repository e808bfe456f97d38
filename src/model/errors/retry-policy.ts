/** How long to wait before the next attempt, by tier (ERR-016…020). Randomness only spreads the herd. */
import type { SylkError } from "../../kernel/index.ts";
import type { ModelConfig, RetryPolicy } from "../config.ts";

export type RetryDecision = { kind: "retry"; waitMs: number } | { kind: "stop" };

export function delayMs(policy: RetryPolicy, attempt: number, random: () => number): number {
  const plain = Math.min(policy.maxDelayMs, policy.initialDelayMs * policy.multiplier ** Math.min(attempt - 1, 30));
  return plain * (1 + policy.jitter * random());
}

export interface AttemptCounts {
  /** Failed attempts so far by tier, this one included. */
  byTier: Partial<Record<SylkError["tier"], number>>;
  /** How often a stream that had begun broke off, this time included. */
  brokenStreams: number;
}

export function decideRetry(error: SylkError, counts: AttemptCounts, config: ModelConfig, random: () => number): RetryDecision {
  if (error.tier === "permanent" || error.tier === "user_fixable") return { kind: "stop" };
  const policy = config.retry[error.tier];
  const attempt = counts.byTier[error.tier] ?? 1;
  if (attempt >= policy.maxAttempts || counts.brokenStreams > config.stream.brokenStreamRetries) return { kind: "stop" };
  const asked = error.details["retryAfterMs"];
  return { kind: "retry", waitMs: typeof asked === "number" ? asked * (1 + policy.jitter * random()) : delayMs(policy, attempt, random) };
}
