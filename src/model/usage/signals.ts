/** What a user should see as it happens: pauses, breakers, budgets, long waits. Journaled per project. */
import { type Journal } from "../../journal/index.ts";
import { EVENTS, SYSTEM, type NewEvent } from "../../protocol/events/index.ts";

/** Stream of all signals below. */
const SIGNAL_STREAM = "model/signals";
const ACTOR = { actor: SYSTEM.model };

/** Writes signals one after another; a signal that cannot be written must not fail the call that caused it. */
export class Signals {
  readonly #journal: Journal | undefined;
  readonly #onLost: (error: unknown) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(journal: Journal | undefined, onLost: (error: unknown) => void) {
    this.#journal = journal;
    this.#onLost = onLost;
  }

  #write(event: NewEvent): void {
    const journal = this.#journal;
    if (journal === undefined) return;
    this.#last = this.#last.then(() => journal.append(SIGNAL_STREAM, "any", [event])).catch(this.#onLost);
  }

  /** Resolves when everything said so far is written. */
  async flushed(): Promise<void> {
    await this.#last;
  }

  rateLimited(provider: string, until: number, attempt: number): void {
    this.#write(EVENTS.signal.rateLimited.create({ provider, until, attempt }, ACTOR));
  }

  rateLimitCleared(provider: string): void {
    this.#write(EVENTS.signal.rateLimitCleared.create({ provider }, ACTOR));
  }

  circuitTripped(resource: string, cooldownEnds: number | null): void {
    this.#write(EVENTS.signal.circuitTripped.create({ resource, cooldown_ends: cooldownEnds }, ACTOR));
  }

  circuitRecovered(resource: string): void {
    this.#write(EVENTS.signal.circuitRecovered.create({ resource }, ACTOR));
  }

  budgetWarning(warning: { level: string; unit: "tokens" | "usd" | "requests"; key: string; used: number; limit: number }): void {
    this.#write(EVENTS.signal.budgetWarning.create(warning, ACTOR));
  }

  queueStarving(provider: string, waitedMs: number): void {
    this.#write(EVENTS.signal.queueStarving.create({ provider, waited_ms: waitedMs }, ACTOR));
  }

  transientTrouble(provider: string, count: number, windowMs: number): void {
    this.#write(EVENTS.signal.transientTrouble.create({ provider, count, window_ms: windowMs }, ACTOR));
  }
}
