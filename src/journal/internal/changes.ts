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
  /** Those of one stream, by its name: a thousand runs listen each to its own. */
  private readonly ofStream = new Map<string, Set<Listener>>();
  private readonly others = new Set<Listener>();
  private timer: Disposable | undefined;
  private lastVersion = -1;
  private readonly dataVersion: () => number;

  constructor(dataVersion: () => number) {
    this.dataVersion = dataVersion;
  }

  appended(events: readonly JournalEvent[]): void {
    for (const listener of this.others) if (events.some((event) => matches(listener.filter, event))) listener.notify();
    if (this.ofStream.size === 0) return;
    for (const event of events)
      for (const listener of this.ofStream.get(event.stream) ?? []) if (matches(listener.filter, event)) listener.notify();
  }

  private all(): Listener[] {
    return [...this.others, ...[...this.ofStream.values()].flatMap((some) => [...some])];
  }

  private add(listener: Listener): void {
    const { stream } = listener.filter;
    if (stream === undefined || stream.endsWith("/")) this.others.add(listener);
    else this.ofStream.set(stream, (this.ofStream.get(stream) ?? new Set()).add(listener));
  }

  private remove(listener: Listener): void {
    const { stream = "" } = listener.filter;
    this.others.delete(listener);
    this.ofStream.get(stream)?.delete(listener);
    if (this.ofStream.get(stream)?.size === 0) this.ofStream.delete(stream);
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
    this.add(listener);
    this.startPolling();
    return {
      next: async (signal) => {
        while (!dirty && !closed && signal?.aborted !== true) {
          await new Promise<void>((resolve) => {
            const go = (): void => {
              signal?.removeEventListener("abort", go);
              resolve();
            };
            wake = go;
            signal?.addEventListener("abort", go, { once: true });
          });
        }
        if (closed || signal?.aborted === true) return "closed";
        dirty = false;
        return "maybe";
      },
      [Symbol.dispose]: () => {
        closed = true;
        this.remove(listener);
        if (this.others.size + this.ofStream.size === 0) this.stopPolling();
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
      for (const listener of this.all()) listener.notify();
    });
  }

  private stopPolling(): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
  }

  close(): void {
    this.stopPolling();
    this.others.clear();
    this.ofStream.clear();
  }
}
