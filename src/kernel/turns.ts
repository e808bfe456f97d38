/**
 * Takes turns on the one thread: many callers with a few milliseconds of work each would otherwise
 * run one after the other without the event loop ever being served.
 */
import { nextTurn, systemClock } from "./clock.ts";

const SLICE_MS = 8;

export class Turns {
  readonly #waiting: (() => void)[] = [];
  #running = false;

  /** Resolves when it is this caller's turn to work; give the thread back by awaiting something. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#running) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#running = true;
    let since = systemClock.monotonic();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      next();
      // The caller runs now, up to its next wait.
      await Promise.resolve();
      if (systemClock.monotonic() - since < SLICE_MS) continue;
      await nextTurn();
      since = systemClock.monotonic();
    }
    this.#running = false;
  }
}
