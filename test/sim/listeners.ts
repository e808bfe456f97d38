/** Who waits for news of the journal, and hears of them after a while. */
import type { EventFilter, Journal } from "../../src/journal/index.ts";
import type { JournalEvent } from "../../src/protocol/events/index.ts";
import type { Random } from "../fuzz/random.ts";
import type { Life, Timeline } from "./timeline.ts";

interface Listener {
  life: Life;
  filter: EventFilter;
  notify(): void;
}

const HEARD_AFTER_MS = 40;

function matches({ stream }: EventFilter, event: JournalEvent): boolean {
  return stream === undefined || (stream.endsWith("/") ? event.stream.startsWith(stream) : event.stream === stream);
}

export class Listeners {
  readonly #all = new Set<Listener>();
  readonly #timeline: Timeline;
  readonly #random: Random;

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline;
    this.#random = random;
  }

  heard(events: readonly JournalEvent[]): void {
    for (const listener of this.#all) if (events.some((event) => matches(listener.filter, event))) listener.notify();
  }

  forget(life: Life): void {
    for (const listener of this.#all) if (listener.life === life) this.#all.delete(listener);
  }

  listen(life: Life, filter: EventFilter): ReturnType<Journal["subscribe"]> {
    let news = true;
    let closed = false;
    let wake: (() => void) | undefined;
    const listener: Listener = {
      life,
      filter,
      notify: () => {
        news = true;
        if (wake !== undefined) this.#timeline.add(life, "hears", this.#random() * HEARD_AFTER_MS, () => wake?.());
      },
    };
    this.#all.add(listener);
    return {
      next: async (signal) => {
        const over = (): boolean => closed || signal?.aborted === true;
        if (!news && !over())
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal?.addEventListener("abort", () => resolve(), { once: true });
          });
        wake = undefined;
        news = false;
        return over() ? "closed" : "maybe";
      },
      [Symbol.dispose]: () => {
        closed = true;
        this.#all.delete(listener);
        wake?.();
      },
    };
  }
}
