/**
 * One call to one provider, watched: idle time, end of stream, emptiness. Ends in a value. Whatever
 * stops it early (caller, preemption, budget, deadline) arrives as the reason of the signal.
 */
import { type Clock } from "../../kernel/index.ts";
import type { ModelConfig } from "../config.ts";
import { brokenStream, emptyAnswer, stalledStream } from "../errors/stream-faults.ts";
import type { Provider, ProviderCall, ProviderPart } from "../providers/types.ts";
import { Accumulator } from "./accumulator.ts";

export type AttemptOutcome = { accumulator: Accumulator } & (
  | { kind: "complete" }
  /** `begun`: something had arrived before it failed. */
  | { kind: "error"; error: unknown; begun: boolean }
  | { kind: "stopped"; reason: unknown }
);

export interface AttemptOptions {
  provider: Provider;
  call: ProviderCall;
  clock: Clock;
  limits: ModelConfig["stream"];
  signal: AbortSignal;
  /** Called for every accepted part, in order; a promise makes the reading wait. */
  onPart: (part: ProviderPart, accumulator: Accumulator) => Promise<void> | undefined;
}

const OVER = new Error("over");

interface Seen {
  at: number;
  any: boolean;
  /** The reader is behind, so silence is not the provider's. */
  held: boolean;
}

/** Aborts `stall` when nothing has arrived for too long. One timer, however many parts. */
async function watch(clock: Clock, limits: ModelConfig["stream"], seen: Seen, stall: AbortController, done: AbortSignal): Promise<void> {
  for (;;) {
    const allowed = seen.any ? limits.idleTimeoutMs : limits.firstPartTimeoutMs;
    if (seen.held) seen.at = clock.monotonic();
    const left = seen.at + allowed - clock.monotonic();
    if (left <= 0) {
      stall.abort(stalledStream(allowed));
      return;
    }
    try {
      // Never past the shorter limit: the first part may arrive while this sleeps.
      await clock.sleep(Math.min(left, limits.idleTimeoutMs), done);
    } catch {
      return;
    }
  }
}

export async function runAttempt(options: AttemptOptions): Promise<AttemptOutcome> {
  const { provider, call, clock, limits, signal, onPart } = options;
  const accumulator = new Accumulator(limits);
  const stall = new AbortController();
  const done = new AbortController();
  const seen: Seen = { at: clock.monotonic(), any: false, held: false };
  const stop = AbortSignal.any([signal, stall.signal]);
  const watchdog = watch(clock, limits, seen, stall, done.signal);
  try {
    await Promise.race([readParts(provider.stream(call, stop), accumulator, seen, clock, stop, onPart), rejection(stop)]);
    if (signal.aborted) return { kind: "stopped", reason: signal.reason, accumulator };
    const fault = faultOf(accumulator);
    return fault === undefined ? { kind: "complete", accumulator } : { kind: "error", error: fault, begun: seen.any, accumulator };
  } catch (error) {
    if (signal.aborted) return { kind: "stopped", reason: signal.reason, accumulator };
    return { kind: "error", error: stall.signal.aborted ? stall.signal.reason : error, begun: seen.any, accumulator };
  } finally {
    done.abort(OVER);
    await watchdog;
  }
}

/** A provider that ignores its signal must not hold the caller. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

async function readParts(
  parts: AsyncIterable<ProviderPart>,
  accumulator: Accumulator,
  seen: Seen,
  clock: Clock,
  signal: AbortSignal,
  onPart: AttemptOptions["onPart"],
): Promise<void> {
  for await (const part of parts) {
    if (signal.aborted) return;
    seen.at = clock.monotonic();
    if (part.type !== "headers") seen.any = true;
    if (!accumulator.add(part, clock.now())) continue;
    const wait = onPart(part, accumulator);
    if (wait !== undefined) {
      seen.held = true;
      await wait;
      seen.held = false;
      seen.at = clock.monotonic();
    }
  }
}

function faultOf(accumulator: Accumulator): Error | undefined {
  if (accumulator.finish === undefined) return brokenStream("the stream ended without its closing event");
  if (accumulator.openCalls > 0 && accumulator.finish.stopReason !== "max_tokens")
    return brokenStream("the stream ended inside a tool call");
  const empty = accumulator.text === "" && accumulator.toolCalls.length === 0 && accumulator.vectors === undefined;
  if (empty && accumulator.finish.stopReason !== "max_tokens" && accumulator.finish.stopReason !== "content_filter") return emptyAnswer();
  return undefined;
}
