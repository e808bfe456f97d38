/**
 * Fair share between requests that one process works on: so many pieces at a time in all, and whoever asks next, the
 * place goes to the request that has the fewest.
 */
import type { FlowParts } from "../flow/index.ts";

interface Waiting {
  request: string;
  take: () => void;
}

export function createSeats(limit: () => number): FlowParts["seats"] {
  const taken = new Map<string, number>();
  let waiting: Waiting[] = [];
  const used = (): number => [...taken.values()].reduce((sum, count) => sum + count, 0);
  const count = (request: string, by: 1 | -1): void => {
    const now = (taken.get(request) ?? 0) + by;
    if (now === 0) taken.delete(request);
    else taken.set(request, now);
  };
  const hand = (): void => {
    while (waiting.length > 0 && used() < limit()) {
      const fewest = Math.min(...waiting.map(({ request }) => taken.get(request) ?? 0));
      const next = waiting.find(({ request }) => (taken.get(request) ?? 0) === fewest);
      if (next === undefined) return;
      waiting = waiting.filter((one) => one !== next);
      count(next.request, 1);
      next.take();
    }
  };
  const sit = (request: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const one: Waiting = {
        request,
        take: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = (): void => {
        waiting = waiting.filter((other) => other !== one);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(one);
      hand();
    });
  return {
    async with(request, signal, work) {
      await sit(request, signal);
      let isSeated = true;
      const rise = (): void => {
        if (!isSeated) return;
        isSeated = false;
        count(request, -1);
        hand();
      };
      // Who is told to stop keeps nobody from the seat, also when it does not stop.
      signal.addEventListener("abort", rise, { once: true });
      try {
        return await work();
      } finally {
        signal.removeEventListener("abort", rise);
        rise();
      }
    },
  };
}
