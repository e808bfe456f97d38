/**
 * One shared number with a limit. The counter holds what is spent plus what is held; a second
 * counter, one per process and moved in the same step, says how much of it that process still holds,
 * so that what a dead process held can be given back to the unit. Far from the limit the purse is filled in blocks, so most
 * reservations touch no storage; near it, to the unit.
 */
import type { Counters } from "../../journal/index.ts";
import { once } from "../../kernel/index.ts";

/** Blocks are taken only while the counter stays below this share of the limit. */
const BLOCKS_BELOW = 0.8;
const BLOCK_OF_LIMIT = 0.02;

export interface PurseOptions {
  counters: Counters;
  /** Counter of everybody: spent plus held. */
  key: string;
  /** Counter of this process: held. */
  holdKey: string;
  /** At first; see `moveTo`. */
  limit: number;
  /** Makes `holdKey` findable by others before anything is held. */
  register: () => Promise<void>;
}

export class BudgetLease {
  readonly #options: PurseOptions;
  /** Held and not promised to a call. */
  #free = 0;
  /** Promised to calls. */
  #promised = 0;
  readonly #registered = once(() => this.#options.register());
  #refill: Promise<unknown> = Promise.resolve();
  /** The shared counter as last seen. */
  #seen = 0;
  #limit: number;

  constructor(options: PurseOptions) {
    this.#options = options;
    this.#limit = options.limit;
  }

  /** The user allowed more, or less, while it is open. */
  moveTo(limit: number): void {
    this.#limit = limit;
  }

  /** Everybody's spending as last seen here; other processes' holds count as spent. */
  get used(): number {
    return Math.max(0, this.#seen - this.#free - this.#promised);
  }

  get idle(): boolean {
    return this.#promised === 0;
  }

  /** True when the amount is promised; the caller must `settle` it. */
  async promise(amount: number): Promise<boolean> {
    if (this.#free < amount) {
      const filled = this.#refill.then(() => this.#fill(amount));
      this.#refill = filled.catch(() => undefined);
      if (!(await filled)) return false;
    } else this.#give(amount);
    return true;
  }

  #give(amount: number): void {
    this.#free -= amount;
    this.#promised += amount;
  }

  /** Takes from the shared counter what is missing, a block when there is plenty. */
  async #fill(amount: number): Promise<boolean> {
    const limit = this.#limit;
    await this.#registered.get();
    // Others may help themselves from what is free while this waits, hence the loop.
    while (this.#free < amount) {
      const missing = amount - this.#free;
      const block = Math.max(missing, Math.ceil(limit * BLOCK_OF_LIMIT));
      const ok = (block > missing && (await this.#take(block, limit * BLOCKS_BELOW))) || (await this.#take(missing, limit));
      if (!ok) return false;
    }
    this.#give(amount);
    return true;
  }

  async #take(amount: number, upTo: number): Promise<boolean> {
    const { counters, key, holdKey } = this.#options;
    const taken = await counters.take(key, amount, upTo, holdKey);
    this.#seen = taken.value;
    if (taken.ok) this.#free += amount;
    return taken.ok;
  }

  /** The call is over: `spent` stays counted, the rest of `promised` is free again. */
  async settle(promised: number, spent: number): Promise<void> {
    const { counters, key, holdKey } = this.#options;
    this.#promised -= promised;
    const fromHold = Math.min(spent, promised);
    this.#free += promised - fromHold;
    const writes: Promise<unknown>[] = [];
    if (fromHold > 0) writes.push(counters.giveBack(holdKey, fromHold));
    if (spent > promised)
      writes.push(counters.take(key, spent - promised, Number.MAX_SAFE_INTEGER).then(({ value }) => (this.#seen = value)));
    await Promise.all(writes);
  }

  /** Returns what no call needs. */
  async empty(): Promise<void> {
    const { counters, key, holdKey } = this.#options;
    await this.#refill;
    const amount = this.#free;
    if (amount === 0) return;
    this.#free = 0;
    this.#seen = await counters.giveBack(key, amount, holdKey);
  }
}
