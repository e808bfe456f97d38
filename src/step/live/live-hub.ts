/**
 * Where live parts go: to whoever listens now. Each listener has a bounded buffer of its own; one that falls behind
 * gets neighbouring text joined, then loses its oldest parts and is told how many. Nobody ever waits for a listener.
 */
import type { LivePart, Wire } from "../../protocol/api/index.ts";

type LiveFilter = Wire<"liveFilter">;

const MAX_BUFFERED = 512;
/** Text joined to one part is no way around the bound. */
const MAX_TEXT_CHARS = 64_000;

class Listener {
  readonly #filter: LiveFilter;
  readonly #signal: AbortSignal;
  #buffer: LivePart[] = [];
  #missed = 0;
  #wake: (() => void) | undefined;

  constructor(filter: LiveFilter, signal: AbortSignal) {
    this.#filter = filter;
    this.#signal = signal;
  }

  #wants(part: LivePart): boolean {
    const { task, about } = this.#filter;
    if (part.type === "progress") return task === undefined && (about === undefined || part.about === about);
    if (part.type === "indexed") return task === undefined && (about === undefined || about === "watch");
    return about === undefined && (task === undefined || ("task" in part && part.task === task));
  }

  offer(part: LivePart): void {
    if (!this.#wants(part)) return;
    const last = this.#buffer.at(-1);
    const joins = last?.type === "text" && part.type === "text" && last.task === part.task && last.text.length < MAX_TEXT_CHARS;
    if (joins) this.#buffer[this.#buffer.length - 1] = { ...last, text: last.text + part.text };
    else this.#buffer.push(part);
    if (this.#buffer.length > MAX_BUFFERED) {
      this.#buffer.shift();
      this.#missed += 1;
    }
    this.#wake?.();
  }

  async *parts(): AsyncGenerator<LivePart> {
    const wake = (): void => this.#wake?.();
    this.#signal.addEventListener("abort", wake, { once: true });
    try {
      while (!this.#signal.aborted) {
        if (this.#missed > 0) {
          const count = this.#missed;
          this.#missed = 0;
          yield { type: "missed", count };
        }
        const next = this.#buffer.shift();
        if (next !== undefined) yield next;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = undefined;
        }
      }
    } finally {
      this.#signal.removeEventListener("abort", wake);
    }
  }
}

/** Something that can be watched while somebody listens. */
type Source = (signal: AbortSignal) => Promise<void>;

export interface LiveHub {
  /** Takes a part and forgets it when nobody listens; never waits, never throws. */
  readonly sink: (part: LivePart) => void;
  /** Whether anybody listens now. */
  isHeard(): boolean;
  listen(filter: LiveFilter, signal: AbortSignal): AsyncIterable<LivePart>;
  /** Watched from now on, whenever there is a listener. */
  watch(source: Source): void;
}

export function createLiveHub(): LiveHub {
  const listeners = new Set<Listener>();
  const sources: Source[] = [];
  let watching: AbortController | undefined;
  const start = (source: Source): void => {
    if (watching !== undefined) source(watching.signal).catch(() => undefined);
  };
  const leave = (listener: Listener): void => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    watching?.abort();
    watching = undefined;
  };
  return {
    sink: (part) => {
      for (const listener of listeners) listener.offer(part);
    },
    isHeard: () => listeners.size > 0,
    watch(source) {
      sources.push(source);
      start(source);
    },
    listen(filter, signal) {
      // From the call on, not from the first look: what is said in between is heard.
      const listener = new Listener(filter, signal);
      listeners.add(listener);
      if (watching === undefined) {
        watching = new AbortController();
        sources.forEach(start);
      }
      const gone = (): void => leave(listener);
      if (signal.aborted) gone();
      signal.addEventListener("abort", gone, { once: true });
      return {
        async *[Symbol.asyncIterator]() {
          try {
            yield* listener.parts();
          } finally {
            signal.removeEventListener("abort", gone);
            gone();
          }
        },
      };
    },
  };
}
