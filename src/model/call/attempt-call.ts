/**
 * One attempt through all stages, in this order: budget → line → breaker → provider → settlement →
 * journal. Whatever way it ends, its place is free, its budget settled and its record on the way to
 * the journal, ahead of anything the caller may write about it, when this returns.
 */
import { isAbort, SylkError, type Clock } from "../../kernel/index.ts";
import type { Breakers, Permit } from "../breaker/breakers.ts";
import type { Budgets, Reservation } from "../budget/budgets.ts";
import { costOf, type Catalogue } from "../catalogue/catalogue.ts";
import type { Recorder } from "../cassette/recorder.ts";
import type { ModelConfig } from "../config.ts";
import { classifyModelError } from "../errors/classify.ts";
import type { Provider, ProviderCall } from "../providers/types.ts";
import { Preempted, type Slot } from "../queue/provider-queue.ts";
import type { Target } from "../catalogue/target.ts";
import { Accumulator } from "../stream/accumulator.ts";
import { runAttempt, type AttemptOutcome } from "../stream/run-attempt.ts";
import type { Calibration } from "../tokens/calibration.ts";
import { conversationOf } from "../tokens/count-tokens.ts";
import type { UsageLog } from "../usage/usage-log.ts";
import { BudgetMonitor, BudgetStop } from "./budget-monitor.ts";
import { recordAttempt } from "./record-attempt.ts";
import { estimateCall, NO_USAGE, spendOf, spentBy, usageOf, type Estimate } from "./call-meter.ts";
import type { ProviderLane, ProviderLanes } from "./provider-lanes.ts";
import type { AttemptContext, Judgement, AttemptVerdict } from "./attempt-context.ts";

export interface AttemptDeps {
  config: ModelConfig;
  clock: Clock;
  /** Makes the provider on first use; throws what is missing. */
  providerFor: (name: string) => Provider;
  catalogue: Catalogue;
  calibration: Calibration;
  lanes: ProviderLanes;
  breakers: Breakers;
  budgets: Budgets;
  recorder: Recorder | undefined;
  usage: UsageLog;
  redact: (text: string) => string;
}

/** How an attempt ended, before it is priced and recorded; only a provider that was asked leaves a record. */
type Ending = { outcome: AttemptOutcome; queuedMs: number; latencyMs: number; contacted: boolean };

class CallTimeout extends SylkError {
  constructor(what: string, ms: number) {
    super({ code: "MODEL_TIMEOUT", tier: "transient", message: `${what} took longer than ${Math.round(ms / 1000)} s` });
  }
}

export async function attemptCall(deps: AttemptDeps, context: AttemptContext, signal: AbortSignal): Promise<AttemptVerdict> {
  const { request, target } = context;
  const info = deps.catalogue.info(target);
  const estimate = estimateCall(request, target, deps.calibration);
  let reservation: Reservation | undefined;
  if (!deps.budgets.isFree(request, target.provider)) {
    const reserved = await deps.budgets.reserve(request, target.provider, spendOf(estimate, info));
    if (reserved instanceof SylkError)
      return { kind: "budget", error: reserved, accumulator: new Accumulator(), usage: NO_USAGE, costUsd: 0, queuedMs: 0 };
    reservation = reserved;
  }
  const ending = await queued(deps, context, estimate, reservation, signal);
  const usage = usageOf(ending.outcome, request, target, deps.calibration);
  await reservation?.settle(spentBy(usage, info));
  const verdict: AttemptVerdict = {
    ...judge(deps, context, ending),
    accumulator: ending.outcome.accumulator,
    usage,
    costUsd: costOf(usage, info),
    queuedMs: ending.queuedMs,
  };
  if (!ending.contacted) return verdict;
  if (verdict.kind === "ok") {
    if (request.inputTokens !== undefined && !usage.estimated) deps.calibration.observe(target, request.inputTokens, usage.inputTokens);
    deps.recorder?.record(providerCall(deps, context), target, verdict.accumulator, usage);
  }
  await deps.usage.write(recordAttempt(context, verdict, ending, info.assumed));
  return verdict;
}

function judge(deps: AttemptDeps, { target }: AttemptContext, { outcome }: Ending): Judgement {
  if (outcome.kind === "complete") return { kind: "ok" };
  if (outcome.kind === "stopped") {
    if (outcome.reason instanceof Preempted) return { kind: "preempted" };
    if (outcome.reason instanceof BudgetStop) return { kind: "budget", error: outcome.reason.refusal };
    if (!(outcome.reason instanceof CallTimeout)) return { kind: "aborted", reason: outcome.reason };
  }
  const error = outcome.kind === "error" ? outcome.error : outcome.reason;
  return { kind: "failed", error: classify(deps, target, error), begun: outcome.kind === "stopped" || outcome.begun };
}

function classify(deps: AttemptDeps, target: Target, error: unknown): SylkError {
  return classifyModelError(error, { ...target, nowMs: deps.clock.now(), redact: deps.redact });
}

/** A made-up reason would cost a stack trace per call. */
const OVER = new Error("over");

/** Aborts after `ms` unless disposed first. */
function timer(clock: Clock, ms: number, reason: () => Error): { signal: AbortSignal } & Disposable {
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(ms, done.signal).then(
    () => late.abort(reason()),
    () => undefined,
  );
  return { signal: late.signal, [Symbol.dispose]: () => done.abort(OVER) };
}

async function queued(
  deps: AttemptDeps,
  context: AttemptContext,
  estimate: Estimate,
  reservation: Reservation | undefined,
  signal: AbortSignal,
): Promise<Ending> {
  const { clock, config } = deps;
  const { request, target } = context;
  const lane = deps.lanes.get(target.provider);
  const asked = clock.monotonic();
  let slot: Slot;
  try {
    using late = timer(clock, config.queue.maxWaitMs, () => new CallTimeout("waiting for a place", config.queue.maxWaitMs));
    slot = await lane.queue.acquire(
      {
        lane: request.lane,
        priority: request.priority,
        session: request.session,
        pipeline: request.pipeline,
        pipelinePriority: request.pipelinePriority ?? 0,
        createdAt: context.createdAt,
        tokens: estimate.input + estimate.output,
        preemptions: context.preemptions,
      },
      context.orderAt(lane),
      AbortSignal.any([signal, late.signal]),
    );
  } catch (error) {
    const outcome: AttemptOutcome = signal.aborted
      ? { kind: "stopped", reason: signal.reason, accumulator: new Accumulator() }
      : { kind: "error", error, begun: false, accumulator: new Accumulator() };
    return { outcome, queuedMs: clock.monotonic() - asked, latencyMs: 0, contacted: false };
  }
  const started = clock.monotonic();
  try {
    let contacted = false;
    const onStart = (): Promise<void> | undefined => {
      contacted = true;
      return context.onStart();
    };
    const outcome = await throughBreaker(deps, { ...context, onStart }, lane, slot, estimate, reservation, signal);
    return { outcome, queuedMs: started - asked, latencyMs: clock.monotonic() - started, contacted };
  } finally {
    slot.release();
  }
}

async function throughBreaker(
  deps: AttemptDeps,
  context: AttemptContext,
  lane: ProviderLane,
  slot: Slot,
  estimate: Estimate,
  reservation: Reservation | undefined,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const permit = await deps.breakers.admit(context.target);
  if (permit instanceof SylkError) return { kind: "error", error: permit, begun: false, accumulator: new Accumulator() };
  const startedAt = deps.clock.now();
  const outcome = await ask(deps, context, lane, slot, estimate, reservation, signal);
  await report(deps, context, lane, permit, outcome, startedAt);
  return outcome;
}

async function ask(
  deps: AttemptDeps,
  context: AttemptContext,
  lane: ProviderLane,
  slot: Slot,
  estimate: Estimate,
  reservation: Reservation | undefined,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { request, target } = context;
  const { clock, config } = deps;
  const timeoutMs = request.timeoutMs ?? config.maxDurationMs;
  using late = timer(clock, timeoutMs, () => new CallTimeout("the call", timeoutMs));
  const budgetStop = new AbortController();
  const monitor =
    reservation === undefined
      ? undefined
      : new BudgetMonitor({
          reservation,
          info: deps.catalogue.info(target),
          promisedOutput: estimate.output,
          maxOutput: request.maxOutputTokens,
          stop: budgetStop,
        });
  try {
    const provider = deps.providerFor(target.provider);
    await context.onStart();
    return await runAttempt({
      provider,
      call: providerCall(deps, context),
      clock,
      limits: config.stream,
      signal: AbortSignal.any([signal, slot.signal, late.signal, budgetStop.signal]),
      onPart: (part, accumulator) => {
        if (part.type === "headers") lane.limits.headers(part.headers);
        slot.progress = Math.min(1, accumulator.outputChars / 4 / Math.max(1, estimate.output));
        const passed = context.onPart(part, accumulator);
        const checked = monitor?.check(accumulator);
        return checked === undefined ? passed : Promise.all([passed, checked]).then(() => undefined);
      },
    });
  } catch (error) {
    return { kind: "error", error, begun: false, accumulator: new Accumulator() };
  }
}

function providerCall(deps: AttemptDeps, { request, target, attempt }: AttemptContext): ProviderCall {
  const info = deps.catalogue.info(target);
  return {
    model: target.model,
    messages: conversationOf(request),
    pictures: info.images ? (request.pictures ?? []) : [],
    tools: request.tools,
    maxOutputTokens: info.knownLimits ? Math.min(request.maxOutputTokens, info.maxOutput) : request.maxOutputTokens,
    temperature: request.temperature,
    cachePrefix: request.cachePrefix,
    responseSchema: info.structured ? request.responseSchema : undefined,
    facts: request,
    attempt,
  };
}

/** Tells the breaker and the rate limiter how it went. */
async function report(
  deps: AttemptDeps,
  { target }: AttemptContext,
  lane: ProviderLane,
  permit: Permit,
  outcome: AttemptOutcome,
  startedAt: number,
): Promise<void> {
  if (outcome.kind === "complete") {
    await Promise.all([permit.succeeded(), lane.limits.succeeded()]);
    return;
  }
  if (outcome.kind === "stopped" || isAbort(outcome.error)) return permit.dropped();
  const error = classify(deps, target, outcome.error);
  if (error.tier === "external_rate_limit") {
    const asked = error.details["retryAfterMs"];
    await lane.limits.refused(typeof asked === "number" ? asked : undefined, startedAt);
  }
  await permit.failed(error);
}
