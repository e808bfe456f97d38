/** What a person should see as it happens: pauses, breakers, budgets, long waits. Journaled per project. */
import { z } from "zod";
import { defineEvent, type Journal, type NewEvent } from "../../journal/index.ts";

/** Stream of all signals below. */
const SIGNAL_STREAM = "model/signals";
const ACTOR = { actor: "model" };

const rateLimited = defineEvent("model.rate_limited", z.object({ provider: z.string(), until: z.number(), attempt: z.int() }));
const rateLimitCleared = defineEvent("model.rate_limit_cleared", z.object({ provider: z.string() }));
const circuitTripped = defineEvent("model.circuit_tripped", z.object({ resource: z.string(), cooldown_ends: z.number().nullable() }));
const circuitRecovered = defineEvent("model.circuit_recovered", z.object({ resource: z.string() }));
const budgetWarning = defineEvent(
  "model.budget_warning",
  z.object({ level: z.string(), unit: z.enum(["tokens", "usd", "requests"]), key: z.string(), used: z.number(), limit: z.number() }),
);
const queueStarving = defineEvent("model.queue_starving", z.object({ provider: z.string(), waited_ms: z.number() }));
const transientTrouble = defineEvent("model.transient_trouble", z.object({ provider: z.string(), count: z.int(), window_ms: z.number() }));

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
    this.#write(rateLimited.create({ provider, until, attempt }, ACTOR));
  }

  rateLimitCleared(provider: string): void {
    this.#write(rateLimitCleared.create({ provider }, ACTOR));
  }

  circuitTripped(resource: string, cooldownEnds: number | null): void {
    this.#write(circuitTripped.create({ resource, cooldown_ends: cooldownEnds }, ACTOR));
  }

  circuitRecovered(resource: string): void {
    this.#write(circuitRecovered.create({ resource }, ACTOR));
  }

  budgetWarning(warning: { level: string; unit: "tokens" | "usd" | "requests"; key: string; used: number; limit: number }): void {
    this.#write(budgetWarning.create(warning, ACTOR));
  }

  queueStarving(provider: string, waitedMs: number): void {
    this.#write(queueStarving.create({ provider, waited_ms: waitedMs }, ACTOR));
  }

  transientTrouble(provider: string, count: number, windowMs: number): void {
    this.#write(transientTrouble.create({ provider, count, window_ms: windowMs }, ACTOR));
  }
}
