/**
 * One request from its first attempt to its one ending: attempts, retries by tier, fallbacks along
 * the chain. The only place that decides to call a provider again.
 */
import { isAbort, messageOf, newId, SylkError, type Clock } from "../kernel/index.ts";
import type { ModelConfig } from "./config.ts";
import { classifyModelError } from "./errors/classify.ts";
import { decideRetry, type AttemptCounts } from "./errors/retry-policy.ts";
import type { ProviderPart } from "./providers/types.ts";
import type { ProviderRegistry } from "./routing/provider-registry.ts";
import { resolveModel, type Target } from "./routing/resolve-model.ts";
import { Accumulator } from "./stream/accumulator.ts";
import { runAttempt, type AttemptOutcome } from "./stream/run-attempt.ts";
import { conversationOf, countRequestTokens, countTokens } from "./tokens/count-tokens.ts";
import type { ModelRequest, ModelResult, StreamMetrics, StreamPart, Usage } from "./types.ts";

export interface CallDeps {
  config: ModelConfig;
  clock: Clock;
  registry: ProviderRegistry;
  redact: (text: string) => string;
  random: () => number;
}

type Loose<T> = T extends unknown ? Omit<T, "index" | "at"> : never;
export type UnplacedPart = Loose<StreamPart>;

export interface CallOutput {
  callId: string;
  emit(part: UnplacedPart): Promise<void> | undefined;
  backpressureEvents(): number;
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, estimated: true };

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    estimated: a.estimated || b.estimated,
  };
}

function toStreamPart(part: ProviderPart, accumulator: Accumulator): UnplacedPart | undefined {
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

class CallRun {
  readonly #deps: CallDeps;
  readonly #request: ModelRequest;
  readonly #output: CallOutput;
  readonly #startedAt: number;
  #target: Target = { provider: "", model: "" };
  #usage: Usage | undefined;
  #attempts = 0;
  #last: Accumulator = new Accumulator();

  constructor(deps: CallDeps, request: ModelRequest, output: CallOutput) {
    this.#deps = deps;
    this.#request = request;
    this.#output = output;
    this.#startedAt = deps.clock.monotonic();
  }

  async run(signal: AbortSignal): Promise<ModelResult> {
    let targets: Target[];
    try {
      targets = resolveModel(this.#request.model, this.#deps.config, this.#deps.registry);
    } catch (error) {
      return this.#failed(this.#classify(error));
    }
    let failure: SylkError | undefined;
    for (const [index, target] of targets.entries()) {
      if (failure !== undefined) await this.#output.emit({ type: "restart", reason: "fallback", waitMs: 0, error: failure });
      this.#target = target;
      const ended = await this.#tryTarget(signal);
      if (ended instanceof SylkError) {
        failure = ended;
        if (ended.tier === "permanent" || index === targets.length - 1) return this.#failed(ended);
        continue;
      }
      return ended;
    }
    return this.#failed(failure ?? new SylkError({ code: "MODEL_UNKNOWN", tier: "user_fixable", message: "the fallback chain is empty" }));
  }

  /** A result, or the error that ended this target's attempts. */
  async #tryTarget(signal: AbortSignal): Promise<ModelResult | SylkError> {
    const counts: AttemptCounts = { byTier: {}, brokenStreams: 0 };
    for (;;) {
      const outcome = await this.#attempt(signal);
      this.#last = outcome.accumulator;
      this.#usage = addUsage(this.#usage ?? { ...NO_USAGE, estimated: false }, this.#usageOf(outcome));
      if (outcome.kind === "complete") return this.#ok(outcome.accumulator);
      if (outcome.kind === "stopped") return this.#aborted(outcome.reason);
      if (isAbort(outcome.error) && signal.aborted) return this.#aborted(signal.reason);
      const error = this.#classify(outcome.error);
      counts.byTier[error.tier] = (counts.byTier[error.tier] ?? 0) + 1;
      if (outcome.begun) counts.brokenStreams += 1;
      const decision = decideRetry(error, counts, this.#deps.config, this.#deps.random);
      if (decision.kind === "stop") return error;
      await this.#output.emit({ type: "restart", reason: "retry", waitMs: decision.waitMs, error });
      try {
        await this.#deps.clock.sleep(decision.waitMs, signal);
      } catch {
        return this.#aborted(signal.reason);
      }
    }
  }

  async #attempt(signal: AbortSignal): Promise<AttemptOutcome> {
    const request = this.#request;
    this.#attempts += 1;
    const attempt = this.#attempts;
    try {
      const provider = this.#deps.registry.get(this.#target.provider);
      await this.#output.emit({ type: "start", ...this.#target, attempt });
      return await runAttempt({
        provider,
        call: {
          model: this.#target.model,
          messages: conversationOf(request),
          tools: request.tools,
          maxOutputTokens: request.maxOutputTokens,
          temperature: request.temperature,
          cachePrefix: request.cachePrefix,
          responseSchema: request.responseSchema,
          facts: request,
          attempt,
        },
        clock: this.#deps.clock,
        limits: this.#deps.config.stream,
        signal,
        onPart: (part, accumulator) => {
          const shown = toStreamPart(part, accumulator);
          return shown === undefined ? undefined : this.#output.emit(shown);
        },
      });
    } catch (error) {
      return { kind: "error", error, begun: false, accumulator: new Accumulator() };
    }
  }

  #classify(error: unknown): SylkError {
    return classifyModelError(error, { ...this.#target, nowMs: this.#deps.clock.now(), redact: this.#deps.redact });
  }

  /** What the provider said, else what was seen: a refused call costs nothing, a broken one what it generated. */
  #usageOf(outcome: AttemptOutcome): Usage {
    const reported = outcome.accumulator.finish?.usage;
    if (reported !== undefined) return reported;
    if (outcome.kind !== "complete" && outcome.accumulator.parts === 0) return { ...NO_USAGE, estimated: false };
    return { ...NO_USAGE, inputTokens: countRequestTokens(this.#request), outputTokens: countTokens(outcome.accumulator.generated) };
  }

  #spent(): Pick<ModelResult, "callId" | "provider" | "model" | "usage" | "costUsd" | "attempts" | "metrics"> {
    return {
      callId: this.#output.callId,
      provider: this.#target.provider,
      model: this.#target.model,
      usage: this.#usage ?? { ...NO_USAGE, estimated: false },
      costUsd: undefined,
      attempts: this.#attempts,
      metrics: this.#metrics(),
    };
  }

  #metrics(): StreamMetrics {
    const totalMs = this.#deps.clock.monotonic() - this.#startedAt;
    const output = this.#usage?.outputTokens ?? 0;
    return {
      queuedMs: 0,
      timeToFirstTokenMs: this.#last.firstTextAt === undefined ? undefined : this.#last.firstTextAt - this.#startedAt,
      timeToFirstToolCallMs: this.#last.firstToolAt === undefined ? undefined : this.#last.firstToolAt - this.#startedAt,
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
}

export function runCall(deps: CallDeps, request: ModelRequest, output: CallOutput, signal: AbortSignal): Promise<ModelResult> {
  return new CallRun(deps, request, output).run(signal);
}

export function newCallId(clock: Clock): string {
  return newId("call", clock.now());
}
