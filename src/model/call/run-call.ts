/**
 * One request from its first attempt to its one ending: retries by tier, requeueing after a
 * preemption, fallbacks along the chain. The only place that decides to call a provider again.
 */
import { messageOf, SylkError } from "../../kernel/index.ts";
import { classifyModelError } from "../errors/classify.ts";
import { decideRetry, type AttemptCounts } from "../errors/retry-policy.ts";
import type { TroubleTracker } from "../errors/trouble-tracker.ts";
import type { ProviderPart } from "../providers/types.ts";
import type { ProviderRegistry } from "../routing/provider-registry.ts";
import { resolveModel } from "../routing/resolve-model.ts";
import type { Target } from "../catalogue/target.ts";
import { Accumulator } from "../stream/accumulator.ts";
import type { BudgetLevel, ModelRequest, ModelResult, StreamMetrics, StreamPart, Usage } from "../types.ts";
import type { Signals } from "../usage/signals.ts";
import { attemptCall, type AttemptDeps } from "./attempt-call.ts";
import type { AttemptVerdict } from "./attempt-context.ts";
import { addUsage, NO_USAGE } from "./call-meter.ts";
import type { ProviderLane } from "./provider-lanes.ts";

export interface CallDeps extends AttemptDeps {
  trouble: TroubleTracker;
  signals: Signals;
  random: () => number;
  registry: ProviderRegistry;
}

type Unplaced<T> = T extends unknown ? Omit<T, "index" | "at"> : never;

export interface CallOutput {
  callId: string;
  emit(part: Unplaced<StreamPart>): Promise<void> | undefined;
  backpressureEvents(): number;
}

function toStreamPart(part: ProviderPart, accumulator: Accumulator): Unplaced<StreamPart> | undefined {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "tool_start":
    case "tool_delta":
      return part;
    case "tool_end": {
      const call = accumulator.toolCall(part.id);
      return call === undefined ? undefined : { type: "tool_end", call };
    }
    default:
      return undefined;
  }
}

/** What to do after an attempt that gave no answer. */
type Next = { kind: "again"; waitMs: number } | { kind: "give_up"; error: SylkError };

class CallRun {
  readonly #deps: CallDeps;
  readonly #request: ModelRequest;
  readonly #output: CallOutput;
  readonly #startedAt: number;
  readonly #createdAt: number;
  readonly #orders = new Map<ProviderLane, number>();
  #target: Target = { provider: "", model: "" };
  #usage: Usage = NO_USAGE;
  #costUsd = 0;
  #costAssumed = false;
  #queuedMs = 0;
  #attempts = 0;
  #preemptions = 0;
  #last: Accumulator = new Accumulator();

  constructor(deps: CallDeps, request: ModelRequest, output: CallOutput) {
    this.#deps = deps;
    this.#request = request;
    this.#output = output;
    this.#startedAt = deps.clock.monotonic();
    this.#createdAt = deps.clock.now();
  }

  async run(signal: AbortSignal): Promise<ModelResult> {
    let targets: Target[];
    try {
      targets = resolveModel(this.#request.model, this.#deps);
    } catch (error) {
      return this.#failed(classifyModelError(error, { ...this.#target, nowMs: this.#deps.clock.now(), redact: this.#deps.redact }));
    }
    for (const [index, target] of targets.entries()) {
      this.#target = target;
      const hasNext = index < targets.length - 1;
      const ended = await this.#tryTarget(hasNext, signal);
      if (!(ended instanceof SylkError)) return ended;
      // What is wrong with the request itself stays wrong elsewhere.
      if (!hasNext || ended.tier === "permanent") return this.#failed(ended);
      await this.#output.emit({ type: "restart", reason: "fallback", waitMs: 0, error: ended });
    }
    return this.#failed(new SylkError({ code: "MODEL_UNKNOWN", tier: "user_fixable", message: "the fallback chain is empty" }));
  }

  /** A result, or the error that ended this target's attempts. */
  async #tryTarget(hasNext: boolean, signal: AbortSignal): Promise<ModelResult | SylkError> {
    const counts: AttemptCounts = { byTier: {}, brokenStreams: 0 };
    for (;;) {
      const verdict = await this.#attempt(signal);
      switch (verdict.kind) {
        case "ok":
          return this.#ok(verdict.accumulator);
        case "aborted":
          return this.#aborted(verdict.reason);
        case "budget":
          return this.#overBudget(verdict.error);
        case "preempted":
          this.#preemptions += 1;
          await this.#output.emit({ type: "restart", reason: "preempted", waitMs: 0 });
          break;
        case "failed": {
          const next = this.#afterFailure(verdict, counts, hasNext);
          if (next.kind === "give_up") return next.error;
          await this.#output.emit({ type: "restart", reason: "retry", waitMs: next.waitMs, error: verdict.error });
          if (!(await this.#pause(next.waitMs, verdict.error, signal))) return this.#aborted(signal.reason);
        }
      }
    }
  }

  async #attempt(signal: AbortSignal): Promise<AttemptVerdict> {
    this.#attempts += 1;
    const attempt = this.#attempts;
    const verdict = await attemptCall(
      this.#deps,
      {
        callId: this.#output.callId,
        request: this.#request,
        target: this.#target,
        attempt,
        preemptions: this.#preemptions,
        createdAt: this.#createdAt,
        orderAt: (lane) => this.#orderAt(lane),
        onStart: () => this.#output.emit({ type: "start", ...this.#target, attempt, of: this.#deps.config.retry.transient.maxAttempts }),
        onPart: (part, accumulator) => {
          const shown = toStreamPart(part, accumulator);
          return shown === undefined ? undefined : this.#output.emit(shown);
        },
      },
      signal,
    );
    this.#last = verdict.accumulator;
    this.#usage = addUsage(this.#usage, verdict.usage);
    this.#costUsd += verdict.costUsd;
    this.#costAssumed ||= verdict.costUsd > 0 && this.#deps.catalogue.info(this.#target).assumed;
    this.#queuedMs += verdict.queuedMs;
    return verdict;
  }

  /** A repeated call keeps the place it was first given. */
  #orderAt(lane: ProviderLane): number {
    let order = this.#orders.get(lane);
    if (order === undefined) this.#orders.set(lane, (order = lane.queue.nextOrder()));
    return order;
  }

  #afterFailure(verdict: AttemptVerdict & { kind: "failed" }, counts: AttemptCounts, hasNext: boolean): Next {
    const { error } = verdict;
    const { config, random, trouble, signals, clock } = this.#deps;
    if (error.code === "MODEL_BREAKER_OPEN") return { kind: "give_up", error };
    counts.byTier[error.tier] = (counts.byTier[error.tier] ?? 0) + 1;
    if (verdict.begun) counts.brokenStreams += 1;
    if (error.tier === "transient") {
      const often = trouble.failed(this.#target.provider, clock.now());
      if (often !== undefined) signals.transientTrouble(this.#target.provider, often, config.retry.trouble.frequencyWindowMs);
    }
    const decision = decideRetry(error, counts, config, random);
    if (decision.kind === "stop") return { kind: "give_up", error };
    if (error.tier !== "external_rate_limit") return { kind: "again", waitMs: decision.waitMs };
    const waitMs = Math.max(0, this.#deps.lanes.get(this.#target.provider).limits.pausedUntil - clock.now());
    return hasNext && waitMs > config.retry.fallbackAfterWaitMs ? { kind: "give_up", error } : { kind: "again", waitMs };
  }

  /** Rate limits are waited for in line, where the provider's pause holds everyone. False: aborted. */
  async #pause(waitMs: number, error: SylkError, signal: AbortSignal): Promise<boolean> {
    if (error.tier === "external_rate_limit") return true;
    try {
      await this.#deps.clock.sleep(waitMs, signal);
      return true;
    } catch {
      return false;
    }
  }

  #spent(): Pick<ModelResult, "callId" | "provider" | "model" | "usage" | "costUsd" | "costAssumed" | "attempts" | "metrics"> {
    return {
      callId: this.#output.callId,
      ...this.#target,
      usage: this.#usage,
      costUsd: this.#costUsd,
      costAssumed: this.#costAssumed,
      attempts: this.#attempts,
      metrics: this.#metrics(),
    };
  }

  #metrics(): StreamMetrics {
    const totalMs = this.#deps.clock.monotonic() - this.#startedAt;
    const output = this.#usage.outputTokens;
    const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : at - this.#createdAt);
    return {
      queuedMs: this.#queuedMs,
      timeToFirstTokenMs: since(this.#last.firstTextAt),
      timeToFirstToolCallMs: since(this.#last.firstToolAt),
      totalMs,
      tokensPerSecond: totalMs > 0 ? (output * 1000) / totalMs : 0,
      parts: this.#last.parts,
      backpressureEvents: this.#output.backpressureEvents(),
      tokensSavedAtMost: this.#last.finish === undefined ? Math.max(0, this.#request.maxOutputTokens - output) : 0,
    };
  }

  #ok(accumulator: Accumulator): ModelResult {
    const { text, reasoning, toolCalls } = accumulator;
    return { kind: "ok", text, reasoning, toolCalls, stopReason: accumulator.finish?.stopReason ?? "end_turn", ...this.#spent() };
  }

  #failed(error: SylkError): ModelResult {
    return { kind: "failed", error, partial: this.#last.partial, ...this.#spent() };
  }

  #aborted(reason: unknown): ModelResult {
    return { kind: "aborted", reason: messageOf(reason), partial: this.#last.partial, ...this.#spent() };
  }

  #overBudget(error: SylkError): ModelResult {
    return { kind: "budget", error, level: error.details["level"] as BudgetLevel, partial: this.#last.partial, ...this.#spent() };
  }
}

/** Never rejects for anything a provider does; a broken store is the caller's to see. */
export function runCall(deps: CallDeps, request: ModelRequest, output: CallOutput, signal: AbortSignal): Promise<ModelResult> {
  return new CallRun(deps, request, output).run(signal);
}
