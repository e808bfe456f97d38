/** Time enters the product only here, so that tests can hold it still. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never go backwards; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  },
};

/** RFC 3339 with milliseconds, UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Lets the event loop serve others before going on. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Calls `work` again and again until disposed; keeps the process alive meanwhile. */
export function repeatEvery(ms: number, work: () => void): Disposable {
  const timer = setInterval(work, ms);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
