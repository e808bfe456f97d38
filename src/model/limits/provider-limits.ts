/**
 * What a provider's refusals and headers say about when to go on (LLM-080…089). A 429 pauses that
 * provider for every process on the machine; a timer resumes it; afterwards requests are let through
 * one, two, four at a time. Headers with remaining tokens hold back what would not fit.
 */
import type { Clock } from "../../kernel/index.ts";
import type { Journal } from "../../journal/index.ts";
import type { RetryPolicy } from "../config.ts";
import { delayMs } from "../errors/retry-policy.ts";
import { defineRegister, SharedRegister } from "../shared/shared-register.ts";
import { readRateHeaders } from "./rate-headers.ts";
import { EVENTS, type Payload } from "../../protocol/events/index.ts";

type Pause = Payload<"model.rate_limit_changed">;

const NO_PAUSE: Pause = { attempt: 0, backoff_until: 0, reason: "" };
export const pauseRegister = defineRegister("rate_limit", EVENTS.register.rateLimit, NO_PAUSE);

export type Gap = { kind: "go" } | { kind: "wait"; untilMs: number };

interface Window {
  remaining: number;
  resetAt: number;
}

export interface ProviderLimitsOptions {
  provider: string;
  clock: Clock;
  journal: Journal | undefined;
  policy: RetryPolicy;
  random: () => number;
  onPause: (provider: string, untilMs: number, attempt: number) => void;
  onResume: (provider: string) => void;
}

export class ProviderLimits {
  readonly #options: ProviderLimitsOptions;
  readonly #register: SharedRegister<Pause>;
  #tokens: Window | undefined;
  #requests: Window | undefined;
  /** How many may run at once while the provider recovers; undefined when it is well. */
  #ramp: number | undefined;
  #announcedUntil = 0;

  constructor(options: ProviderLimitsOptions) {
    this.#options = options;
    this.#register = new SharedRegister(pauseRegister, options.provider, options.journal, options.clock);
  }

  /** Learns of pauses set by other processes. */
  async refresh(): Promise<void> {
    this.#noticePause(await this.#register.refresh());
  }

  get pausedUntil(): number {
    return this.#register.current.backoff_until;
  }

  /** Highest concurrency allowed now. */
  get rampLimit(): number {
    return this.#ramp ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a request of this size may start now. */
  gap(tokens: number): Gap {
    const now = this.#options.clock.now();
    const until = Math.max(this.pausedUntil, this.#blockedBy(this.#requests, 1, now), this.#blockedBy(this.#tokens, tokens, now));
    return until > now ? { kind: "wait", untilMs: until } : { kind: "go" };
  }

  /** A window that was never full enough must not hold a large request for ever. */
  #blockedBy(window: Window | undefined, amount: number, now: number): number {
    if (window === undefined || now >= window.resetAt) return 0;
    return window.remaining < amount ? window.resetAt : 0;
  }

  started(tokens: number): void {
    if (this.#tokens !== undefined) this.#tokens.remaining -= tokens;
    if (this.#requests !== undefined) this.#requests.remaining -= 1;
  }

  headers(headers: Record<string, string>): void {
    const seen = readRateHeaders(headers, this.#options.clock.now());
    this.#tokens = seen.tokens ?? this.#tokens;
    this.#requests = seen.requests ?? this.#requests;
  }

  /** Several refusals of calls already under way during one pause count once. */
  async refused(retryAfterMs: number | undefined, startedAt: number): Promise<number> {
    const { clock, policy, random } = this.#options;
    const { after } = await this.#register.update((pause) => {
      const now = clock.now();
      const wait = retryAfterMs === undefined ? undefined : retryAfterMs * (1 + policy.jitter * random());
      const known = pause.backoff_until > now || startedAt < pause.backoff_until;
      if (known) return wait !== undefined && now + wait > pause.backoff_until ? { ...pause, backoff_until: now + wait } : pause;
      const attempt = pause.attempt + 1;
      return { attempt, backoff_until: now + (wait ?? delayMs(policy, attempt, random)), reason: "the provider refused with a rate limit" };
    });
    this.#noticePause(after);
    return after.backoff_until;
  }

  async succeeded(): Promise<void> {
    if (this.#ramp !== undefined) {
      this.#ramp *= 2;
      if (this.#ramp > 64) this.#ramp = undefined;
    }
    if (this.#register.current.attempt > 0)
      await this.#register.update((pause) => (pause.attempt === 0 || pause.backoff_until > this.#options.clock.now() ? pause : NO_PAUSE));
  }

  #noticePause(pause: Pause): void {
    if (pause.backoff_until <= this.#announcedUntil || pause.backoff_until <= this.#options.clock.now()) return;
    this.#announcedUntil = pause.backoff_until;
    this.#ramp = 1;
    this.#options.onPause(this.#options.provider, pause.backoff_until, pause.attempt);
  }

  /** Called by the timer; tells once that a pause is over. */
  resumed(): void {
    if (this.#announcedUntil === 0 || this.#options.clock.now() < this.#announcedUntil) return;
    this.#announcedUntil = 0;
    this.#options.onResume(this.#options.provider);
  }
}
