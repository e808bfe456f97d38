/** Shared numbers, exact under races: one conditional statement inside a write transaction. */
import { rowOf } from "./rows.ts";
import type { Counters } from "../types.ts";
import type { EventLog } from "./event-log.ts";
import type { Writer } from "./writer.ts";

export class SqliteCounters implements Counters {
  private readonly log: EventLog;
  private readonly writer: Writer;

  constructor(log: EventLog, writer: Writer) {
    this.log = log;
    this.writer = writer;
  }

  private current(key: string): number {
    return rowOf(this.log.sql("SELECT value FROM counters WHERE key = ?").get(key), { value: "number" })?.value ?? 0;
  }

  private set(key: string, value: number): number {
    // Zero is what an absent counter says, so holds that are settled leave nothing behind.
    if (value === 0) this.log.sql("DELETE FROM counters WHERE key = ?").run(key);
    else this.log.sql("INSERT OR REPLACE INTO counters (key, value) VALUES (?, ?)").run(key, value);
    return value;
  }

  take(key: string, amount: number, limit: number, hold?: string): Promise<{ ok: boolean; value: number }> {
    return this.writer.run(() => {
      const value = this.current(key);
      if (value + amount > limit) return { ok: false, value };
      if (hold !== undefined) this.set(hold, this.current(hold) + amount);
      return { ok: true, value: this.set(key, value + amount) };
    });
  }

  giveBack(key: string, amount: number, hold?: string): Promise<number> {
    return this.writer.run(() => {
      if (hold !== undefined) this.set(hold, this.current(hold) - amount);
      return this.set(key, this.current(key) - amount);
    });
  }

  value(key: string): Promise<number> {
    return Promise.resolve(this.current(key));
  }
}
