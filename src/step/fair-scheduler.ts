/**
 * Takes turns on the one thread. Hundreds of callers with a few milliseconds of work each would
 * otherwise come back from their waits all at once, and the event loop would not be served for long.
 */
import { yieldToLoop, systemClock } from "../kernel/index.ts";

const AT_ONCE = 6;
const SLICE_MS = 8;

export class FairScheduler {
  readonly #waiting: (() => void)[] = [];
  #active = 0;
  #since = 0;
  #turn: Promise<void> | undefined;

  /** Runs `work` when it is its turn; only a few run at once, and between them others are served. */
  async with<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#active += 1;
    // Those who wait for the same turn share its slice; who comes too late in it waits for the next.
    while (systemClock.monotonic() - this.#since > SLICE_MS) await (this.#turn ??= this.#next());
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed on, so that nobody can slip in between.
      if (next === undefined) this.#active -= 1;
      else next();
    }
  }

  async #next(): Promise<void> {
    await yieldToLoop();
    this.#turn = undefined;
    this.#since = systemClock.monotonic();
  }
}
