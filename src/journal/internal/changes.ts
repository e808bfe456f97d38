/**
 * Tells subscribers that something may have been appended. Own appends are seen at once; those of
 * other processes by SQLite's data version, looked at only while someone is waiting.
 */
import type { EventFilter, Subscription } from "../types.ts";
import { repeatEvery } from "../../kernel/index.ts";
import { matches } from "./event-log.ts";
import type { JournalEvent } from "../../protocol/events/index.ts";

const POLL_MS = 40;

interface Listener {
  filter: EventFilter;
  notify: () => void;
}

export class Changes {
  private readonly listeners = new Set<Listener>();
  private timer: Disposable | undefined;
  private lastVersion = -1;
  private readonly dataVersion: () => number;

  constructor(dataVersion: () => number) {
    this.dataVersion = dataVersion;
  }

  appended(events: readonly JournalEvent[]): void {
    for (const listener of this.listeners) if (events.some((event) => matches(listener.filter, event))) listener.notify();
  }

  subscribe(filter: EventFilter): Subscription {
    let dirty = true;
    let closed = false;
    let wake: (() => void) | undefined;
    const listener: Listener = {
      filter,
      notify: () => {
        dirty = true;
        wake?.();
      },
    };
    this.listeners.add(listener);
    this.startPolling();
    return {
      next: async (signal) => {
        while (!dirty && !closed && signal?.aborted !== true) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal?.addEventListener("abort", () => resolve(), { once: true });
          });
        }
        if (closed || signal?.aborted === true) return "closed";
        dirty = false;
        return "maybe";
      },
      [Symbol.dispose]: () => {
        closed = true;
        this.listeners.delete(listener);
        if (this.listeners.size === 0) this.stopPolling();
        wake?.();
      },
    };
  }

  private startPolling(): void {
    if (this.timer !== undefined) return;
    this.lastVersion = this.dataVersion();
    this.timer = repeatEvery(POLL_MS, () => {
      const version = this.dataVersion();
      if (version === this.lastVersion) return;
      this.lastVersion = version;
      for (const listener of this.listeners) listener.notify();
    });
  }

  private stopPolling(): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
  }

  close(): void {
    this.stopPolling();
    this.listeners.clear();
  }
}
