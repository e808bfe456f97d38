/**
 * Brings the index up to date beside those who ask. Whoever asks waits until it is, or until there is something to
 * answer from and the patience is over; the reading goes on meanwhile. One reading serves all who asked before it began,
 * and whoever asks later gets one that saw what changed since.
 */
import { isAbort, type Clock } from "../kernel/index.ts";
import type { IndexProgress } from "./types.ts";

/**
 * How long is waited once there is something to answer from; less when it is known that much is left to read; and at
 * most. Then, for the last batch when it must end.
 */
const PATIENCE = { graceMs: 5_000, longMs: 1_000, mostMs: 10_000, endMs: 500 };
/** Files or commits that take longer than anybody wants to wait. */
const MANY = 500;

/** Null when everything was read; else how far it is, and what that means for an answer. */
export interface Freshness {
  indexing: (IndexProgress & { note: string }) | null;
}

export interface RefreshOptions {
  onProgress?: ((progress: IndexProgress) => void) | undefined;
  signal: AbortSignal;
  /** Waits until everything was read. */
  whole?: boolean | undefined;
}

export interface FreshParts {
  clock: Clock;
  read: (options: { onProgress: (progress: IndexProgress) => void; signal: AbortSignal }) => Promise<void>;
  /** Whether there is anything to answer from. */
  hasFiles: () => boolean;
}

export interface Freshener {
  refresh(options: RefreshOptions): Promise<Freshness>;
  /** Ends what is being read; what was read stays. */
  stop(): Promise<void>;
}

interface Reading {
  progress: IndexProgress;
  listeners: Set<(progress: IndexProgress) => void>;
  waiting: number;
  /** All files were read; what follows makes answers better. */
  filesRead: PromiseWithResolvers<void>;
  /** Much is left to read. */
  long: PromiseWithResolvers<void>;
  done: Promise<void>;
}

const WORDS: Readonly<Record<IndexProgress["phase"], string>> = {
  listing: "listing files",
  reading: "reading files",
  history: "reading git history, newest first",
  linking: "linking",
  embedding: "embedding",
};

function noteOf({ phase, done, total }: IndexProgress): string {
  const far = total === 0 ? WORDS[phase] : `${WORDS[phase]}, ${done} of ${total}`;
  return `indexing goes on (${far}); answered from what was read so far`;
}

export function createFreshener({ clock, read, hasFiles }: FreshParts): Freshener {
  let over = new AbortController();
  let running: Reading | undefined;
  let next: Reading | undefined;
  /** Of a reading nobody waited for any more: told to the next who asks. */
  let failure: { error: unknown } | undefined;

  const begin = (before: Reading | undefined): Reading => {
    const { signal } = over;
    const reading: Reading = {
      progress: { phase: "listing", done: 0, total: 0 },
      listeners: new Set(),
      waiting: 0,
      filesRead: Promise.withResolvers(),
      long: Promise.withResolvers(),
      done: Promise.resolve(),
    };
    const onProgress = (progress: IndexProgress): void => {
      reading.progress = progress;
      if (progress.total - progress.done > MANY) reading.long.resolve();
      if (progress.phase !== "listing" && progress.phase !== "reading") reading.filesRead.resolve();
      for (const listener of reading.listeners) listener(progress);
    };
    const work = async (): Promise<void> => {
      await before?.done.catch(() => undefined);
      if (before !== undefined) [running, next] = [reading, undefined];
      try {
        signal.throwIfAborted();
        await read({ onProgress, signal });
      } catch (error) {
        if (reading.waiting === 0 && !isAbort(error) && !signal.aborted) failure = { error };
        throw error;
      } finally {
        if (running === reading) running = undefined;
      }
    };
    reading.done = work();
    // Whoever waits sees it fail; that nobody may be waiting must not end the process.
    reading.done.catch(() => undefined);
    return reading;
  };

  /** Over when there was something to answer from for a while, or after the longest wait. */
  const patience = async (reading: Reading, signal: AbortSignal): Promise<void> => {
    const useful = hasFiles() ? Promise.resolve() : reading.filesRead.promise;
    const grace = (): Promise<void> =>
      Promise.race([clock.sleep(PATIENCE.graceMs, signal), reading.long.promise.then(() => clock.sleep(PATIENCE.longMs, signal))]);
    await Promise.race([clock.sleep(PATIENCE.mostMs, signal), useful.then(grace)]);
    // A batch that was paid for is kept; how many there are before an answer is bounded.
    if (reading.progress.phase === "embedding") await reading.done;
  };

  return {
    async refresh({ onProgress, signal, whole = false }) {
      signal.throwIfAborted();
      if (failure !== undefined) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      const reading = running === undefined ? (running = begin(undefined)) : (next ??= begin(running));
      const ended = new AbortController();
      const until = AbortSignal.any([signal, ended.signal]);
      if (onProgress !== undefined) reading.listeners.add(onProgress);
      reading.waiting += 1;
      try {
        return await Promise.race([
          reading.done.then((): Freshness => ({ indexing: null })),
          (whole ? untilAborted(until) : patience(reading, until)).then((): Freshness => ({
            indexing: { ...reading.progress, note: noteOf(reading.progress) },
          })),
        ]);
      } finally {
        reading.waiting -= 1;
        if (onProgress !== undefined) reading.listeners.delete(onProgress);
        ended.abort();
      }
    },
    async stop() {
      const ending = next ?? running;
      over.abort();
      over = new AbortController();
      [running, next] = [undefined, undefined];
      if (ending === undefined) return;
      const ended = new AbortController();
      const settled = ending.done.catch(() => undefined).finally(() => ended.abort());
      await Promise.race([settled, clock.sleep(PATIENCE.endMs, ended.signal).catch(() => undefined)]);
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
