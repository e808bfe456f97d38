/** Ownership of work, in the journal's own database so that it changes together with events. */
import { SylkError, type Clock } from "../../kernel/index.ts";
import type { Claim, Work } from "../types.ts";
import type { EventLog } from "./event-log.ts";
import type { Writer } from "./writer.ts";
import type { NewEvent } from "../../protocol/events/index.ts";

interface WorkRow {
  key: string;
  holder: string;
  epoch: number;
  lease_until: number;
}

export interface WorkParts {
  log: EventLog;
  writer: Writer;
  clock: Clock;
  /** True only when the holder is certainly gone; then its lease need not run out. */
  isDead: (holder: string) => boolean;
  /** Appends inside the current write transaction. */
  append: (stream: string, expectedSeq: number | "any", events: readonly NewEvent[]) => void;
}

export class SqliteWork implements Work {
  private readonly parts: WorkParts;

  constructor(parts: WorkParts) {
    this.parts = parts;
  }

  private row(key: string): WorkRow | undefined {
    return this.parts.log.sql("SELECT * FROM work WHERE key = ?").get(key) as unknown as WorkRow | undefined;
  }

  private owned(claim: Claim): boolean {
    const row = this.row(claim.key);
    return row !== undefined && row.epoch === claim.epoch && row.holder === claim.holder;
  }

  claim(key: string, holder: string, leaseMs: number): Promise<Claim | undefined> {
    return this.parts.writer.run(() => {
      const now = this.parts.clock.now();
      const row = this.row(key);
      if (row !== undefined && row.holder !== "" && row.lease_until > now && !this.parts.isDead(row.holder)) return undefined;
      const epoch = (row?.epoch ?? 0) + 1;
      this.parts.log
        .sql("INSERT OR REPLACE INTO work (key, holder, epoch, lease_until) VALUES (?, ?, ?, ?)")
        .run(key, holder, epoch, now + leaseMs);
      return { key, holder, epoch, leaseMs };
    });
  }

  renew(claims: readonly Claim[]): Promise<string[]> {
    return this.parts.writer.run(() => {
      const now = this.parts.clock.now();
      const lost: string[] = [];
      for (const claim of claims) {
        if (this.owned(claim)) this.parts.log.sql("UPDATE work SET lease_until = ? WHERE key = ?").run(now + claim.leaseMs, claim.key);
        else lost.push(claim.key);
      }
      return lost;
    });
  }

  settle(claim: Claim): Promise<boolean> {
    return this.parts.writer.run(() => this.release(claim));
  }

  private release(claim: Claim): boolean {
    if (!this.owned(claim)) return false;
    // The row stays, so that the epoch never goes back.
    this.parts.log.sql("UPDATE work SET holder = '', lease_until = 0 WHERE key = ?").run(claim.key);
    return true;
  }

  finish(claim: Claim, stream: string, expectedSeq: number | "any", events: readonly NewEvent[]): Promise<boolean> {
    return this.parts.writer.run(() => {
      if (!this.owned(claim)) return false;
      this.parts.append(stream, expectedSeq, events);
      if (!this.release(claim))
        throw new SylkError({ code: "JOURNAL_FENCED", tier: "permanent", message: `${claim.key} was lost while finishing` });
      return true;
    });
  }

  holder(key: string): Promise<Claim | undefined> {
    const row = this.row(key);
    if (row === undefined || row.holder === "") return Promise.resolve(undefined);
    const leaseMs = row.lease_until - this.parts.clock.now();
    if (leaseMs <= 0 || this.parts.isDead(row.holder)) return Promise.resolve(undefined);
    return Promise.resolve({ key, holder: row.holder, epoch: row.epoch, leaseMs });
  }
}
