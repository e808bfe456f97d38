/**
 * Takes turns on the one thread. Hundreds of callers with a few milliseconds of work each would
 * otherwise come back from their waits all at once, and the event loop would not be served for long.
 */
import { yieldToLoop, systemClock } from "../kernel/index.ts";

const AT_ONCE = 6;
const SLICE_MS = 8;

/** What runs before the event loop is served again. */
interface Slice {
  since: number;
  over: Promise<void>;
}

export class FairScheduler {
  readonly #waiting: (() => void)[] = [];
  #active = 0;
  #slice: Slice | undefined;

  /** Runs `work` when it is its turn; only a few run at once, and between them others are served. */
  async with<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#active += 1;
    // Who comes too late in a slice waits for the next; who comes after the loop was served begins one.
    for (let slice = this.#current(); systemClock.monotonic() - slice.since > SLICE_MS; slice = this.#current()) await slice.over;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed on, so that nobody can slip in between.
      if (next === undefined) this.#active -= 1;
      else next();
    }
  }

  #current(): Slice {
    this.#slice ??= { since: systemClock.monotonic(), over: yieldToLoop().then(() => (this.#slice = undefined)) };
    return this.#slice;
  }
}
