/**
 * Lets others look on without taking parts from the caller: each watcher sees every part of the
 * calls it asked for, in order. A watcher that falls behind gets neighbouring text joined, then
 * loses its oldest parts and is told how many; the call never waits for it.
 */
import type { CallFacts, StreamPart } from "../types.ts";

export interface WatchFilter {
  callId?: string | undefined;
  session?: string | undefined;
  task?: string | undefined;
}

export interface WatchedPart {
  callId: string;
  session: string;
  task: string;
  role: string;
  part: StreamPart;
  /** Parts lost before this one because the watcher was too slow. */
  missed: number;
}

const MAX_BUFFERED = 256;

class Watcher implements AsyncIterable<WatchedPart> {
  readonly #filter: WatchFilter;
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  #buffer: WatchedPart[] = [];
  #wake: (() => void) | undefined;
  #missed = 0;

  constructor(filter: WatchFilter, signal: AbortSignal, onEnd: () => void) {
    this.#filter = filter;
    this.#signal = signal;
    this.#onEnd = onEnd;
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
  }

  offer(callId: string, facts: CallFacts, part: StreamPart): void {
    const { callId: wantedCall, session, task } = this.#filter;
    if ((wantedCall ?? callId) !== callId || (session ?? facts.session) !== facts.session || (task ?? facts.task) !== facts.task) return;
    const last = this.#buffer.at(-1);
    if (last !== undefined && last.callId === callId && part.type === "text" && last.part.type === "text") {
      last.part = { ...last.part, text: last.part.text + part.text };
    } else {
      this.#buffer.push({ callId, session: facts.session, task: facts.task, role: facts.role, part, missed: 0 });
      if (this.#buffer.length > MAX_BUFFERED) {
        this.#buffer.shift();
        this.#missed += 1;
      }
    }
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchedPart> {
    try {
      while (!this.#signal.aborted) {
        const next = this.#buffer.shift();
        if (next !== undefined) {
          const missed = this.#missed;
          this.#missed = 0;
          yield { ...next, missed };
          continue;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      this.#onEnd();
    }
  }
}

export class PartWatchers {
  readonly #watchers = new Set<Watcher>();

  watch(filter: WatchFilter, signal: AbortSignal): AsyncIterable<WatchedPart> {
    const watcher: Watcher = new Watcher(filter, signal, () => this.#watchers.delete(watcher));
    this.#watchers.add(watcher);
    return watcher;
  }

  offer(callId: string, facts: CallFacts, part: StreamPart): void {
    for (const watcher of this.#watchers) watcher.offer(callId, facts, part);
  }
}
