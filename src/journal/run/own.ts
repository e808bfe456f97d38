/**
 * The one place that knows leases. Whoever owns a key renews its lease while it works, by the clock that never
 * goes backwards, stops itself when three quarters of the lease have passed without a renewal, and asks the store
 * again directly before it changes the world. Nothing else claims work.
 */
import { SylkError, withScope, type Clock, holders } from "../../kernel/index.ts";
import type { Claim, Fence, Work } from "../types.ts";

export interface Ground {
  work: Work;
  clock: Clock;
}

/** What one process has while it owns a key. */
export interface Owned {
  readonly fence: Fence;
  /** Aborted when the caller's is, or when the key was lost. */
  readonly signal: AbortSignal;
  /** Asked directly before the world is changed: throws RUN_LOST when another process has the key. */
  mustOwn(): Promise<void>;
}

export interface OwnOptions {
  signal?: AbortSignal | undefined;
  /** Waits its turn while another has it; otherwise `taken` says why not. */
  waits?: boolean | undefined;
  leaseMs?: number | undefined;
  /** Offered under this kind meanwhile: should this process die, whoever asks for the kind takes it up. */
  kind?: string | undefined;
}

const LEASE_MS = 30_000;
const STOP_AT = 0.75;
const RENEW_AT = 1 / 3;
/** Looks at its lease this often within it. */
const TICKS = 12;
const POLL_MS = 8;
/** How often a store that fails is asked to take it back. */
const MAX_GIVES = 5;
const PASSING: readonly string[] = ["STORE_BUSY", "STORE_IO", "STORE_FULL"];

function lost(key: string, cause?: unknown): SylkError {
  return new SylkError({
    code: "RUN_LOST",
    tier: "permanent",
    message: `${key} was taken over by another process; this one does nothing more`,
    fix: "nothing is lost: the other process goes on with it",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Who has it, for people. */
function taken(key: string, held: Claim | undefined): SylkError {
  const holder = held?.holder ?? "unknown";
  const pid = holder.split(":").at(-2);
  const stopped = holders.state(holder) === "stopped";
  return new SylkError({
    code: "RUN_TAKEN",
    tier: "user_fixable",
    message: `${key} is being worked on by another process (${holder})${stopped ? ", which is stopped" : ""}`,
    fix: stopped ? `let it go on with \`kill -CONT ${pid}\`, or end it with \`kill -KILL ${pid}\`` : "wait for it, or end it first",
    details: { holder, stopped },
  });
}

class Lease implements Owned {
  readonly fence: Fence;
  readonly signal: AbortSignal;
  readonly #ground: Ground;
  readonly #claim: Claim;
  readonly #own = new AbortController();
  readonly #over = new AbortController();
  #renewedAt: number;

  constructor(ground: Ground, claim: Claim, claimedAt: number, signal: AbortSignal | undefined) {
    this.#ground = ground;
    this.#claim = claim;
    this.#renewedAt = claimedAt;
    this.fence = { key: claim.key, epoch: claim.epoch };
    this.signal = signal === undefined ? this.#own.signal : AbortSignal.any([signal, this.#own.signal]);
  }

  get #age(): number {
    return (this.#ground.clock.monotonic() - this.#renewedAt) / this.#claim.leaseMs;
  }

  async #renew(): Promise<void> {
    const asked = this.#ground.clock.monotonic();
    if ((await this.#ground.work.renew([this.#claim])).length > 0) throw this.#lose();
    this.#renewedAt = asked;
  }

  #lose(cause?: unknown): SylkError {
    const error = lost(this.#claim.key, cause);
    this.#own.abort(error);
    return error;
  }

  async mustOwn(): Promise<void> {
    // An answer that was so long under way says nothing about now.
    do await this.#ask();
    while (this.#age >= STOP_AT);
    this.signal.throwIfAborted();
  }

  async #ask(): Promise<void> {
    this.signal.throwIfAborted();
    if (this.#age > RENEW_AT) return this.#renew();
    const held = await this.#ground.work.holder(this.#claim.key);
    if (held?.epoch !== this.#claim.epoch || held.holder !== this.#claim.holder) throw this.#lose();
  }

  /** Renews until the work is over. A store that fails, or does not answer, is given until three quarters of the lease. */
  async keep(): Promise<void> {
    const { clock } = this.#ground;
    const ended = AbortSignal.any([this.#over.signal, this.#own.signal]);
    let asking = false;
    for (;;) {
      await clock.sleep(this.#claim.leaseMs / TICKS, ended).catch(() => undefined);
      if (ended.aborted) return;
      if (asking && this.#age >= STOP_AT) this.#lose();
      if (asking || this.#age < RENEW_AT) continue;
      asking = true;
      void this.#renew()
        .catch((error: unknown) => {
          if (this.#age >= STOP_AT) this.#lose(error);
        })
        .finally(() => (asking = false));
    }
  }

  /** What was left undone stays offered, when it was. */
  async give(done: boolean): Promise<void> {
    this.#over.abort();
    if (this.#own.signal.aborted) return;
    const { work, clock } = this.#ground;
    const wake = done || (this.#claim.kind ?? "") === "" ? undefined : { at: 0 };
    for (let tries = 1; ; tries += 1) {
      try {
        await work.settle(this.#claim, wake);
        return;
      } catch (error) {
        // Nobody takes it from a process that lives: what is not given back now is kept from all others.
        if (tries === MAX_GIVES || !SylkError.is(error) || !PASSING.includes(error.code)) throw error;
        await clock.sleep(this.#claim.leaseMs / TICKS);
      }
    }
  }
}

async function obtain({ work, clock }: Ground, key: string, options: OwnOptions): Promise<{ claim: Claim; claimedAt: number }> {
  for (;;) {
    const claimedAt = clock.monotonic();
    const claim = await work.claim(key, holders.ofProcess(), options.leaseMs ?? LEASE_MS);
    if (claim !== undefined) return { claim, claimedAt };
    if (options.waits !== true) throw taken(key, await work.holder(key));
    await clock.sleep(POLL_MS, options.signal);
  }
}

type Body<T> = (owned: Owned, claim: Claim) => Promise<T>;

/** Owns a key while `body` runs. Throws RUN_TAKEN when another has it, RUN_LOST when it was lost on the way. */
export async function owning<T>(ground: Ground, key: string, options: OwnOptions, body: Body<T>): Promise<T> {
  options.signal?.throwIfAborted();
  const { claim, claimedAt } = await obtain(ground, key, options);
  const { kind = claim.kind } = options;
  if (options.kind !== undefined) await ground.work.offer([{ key, kind: options.kind }]);
  return holding(ground, { ...claim, kind }, claimedAt, options.signal, body);
}

/** The longest offered work of these kinds, if any is due. False: none is. */
export async function owningNext(ground: Ground, kinds: readonly string[], options: OwnOptions, body: Body<void>): Promise<boolean> {
  options.signal?.throwIfAborted();
  const claimedAt = ground.clock.monotonic();
  const claim = await ground.work.claimNext(kinds, holders.ofProcess(), options.leaseMs ?? LEASE_MS);
  if (claim === undefined) return false;
  await holding(ground, claim, claimedAt, options.signal, body);
  return true;
}

async function holding<T>(ground: Ground, claim: Claim, claimedAt: number, signal: AbortSignal | undefined, body: Body<T>): Promise<T> {
  const lease = new Lease(ground, claim, claimedAt, signal);
  return withScope(undefined, async (scope) => {
    scope.spawn(() => lease.keep());
    let done = false;
    try {
      const result = await body(lease, claim);
      done = true;
      return result;
    } finally {
      await lease.give(done);
    }
  });
}
