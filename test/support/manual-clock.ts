import type { Clock } from "../../src/kernel/index.ts";

interface Sleeper {
  at: number;
  wake: () => void;
}

/** A clock that moves only when told to. */
export class ManualClock implements Clock {
  private current: number;
  private sleepers: Sleeper[] = [];

  constructor(startMs = 1_800_000_000_000) {
    this.current = startMs;
  }

  now(): number {
    return this.current;
  }

  monotonic(): number {
    return this.current;
  }

  get sleeping(): number {
    return this.sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const sleeper: Sleeper = { at: this.current + ms, wake: resolve };
      this.sleepers.push(sleeper);
      signal?.addEventListener(
        "abort",
        () => {
          this.sleepers = this.sleepers.filter((other) => other !== sleeper);
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  }

  /** Moves time on and wakes who was due, in order. */
  async advance(ms: number): Promise<void> {
    const end = this.current + ms;
    for (;;) {
      const due = this.sleepers.filter((sleeper) => sleeper.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.current = Math.max(this.current, due.at);
      this.sleepers = this.sleepers.filter((sleeper) => sleeper !== due);
      due.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.current = end;
  }
}
