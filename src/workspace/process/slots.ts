/** Bounds how many processes live at once (TOO-004); waiting is first come, first served, and bounded too. */
import { SylkError } from "../../kernel/index.ts";

export interface ProcessSlots {
  /** Resolves to the way to give the slot back; rejects with the signal's reason when aborted. */
  take(signal?: AbortSignal): Promise<() => void>;
}

export function createProcessSlots(max: number, maxWaiting = 256): ProcessSlots {
  let free = max;
  const waiting: (() => void)[] = [];
  const give = (): (() => void) => {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
  };
  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return give();
      }
      if (waiting.length >= maxWaiting) {
        throw new SylkError({
          code: "PROCESS_QUEUE_FULL",
          tier: "transient",
          message: `${max} processes run and ${maxWaiting} wait already`,
        });
      }
      return new Promise((resolve, reject) => {
        const wake = (): void => {
          signal?.removeEventListener("abort", leave);
          resolve(give());
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(wake), 1);
          reject(signal?.reason as Error);
        };
        waiting.push(wake);
        signal?.addEventListener("abort", leave, { once: true });
      });
    },
  };
}
