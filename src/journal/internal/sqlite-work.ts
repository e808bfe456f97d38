/** Ownership of work, in the journal's own database so that it changes together with events. */
import { SylkError, type Clock, type holders } from "../../kernel/index.ts";
import type { Claim, Wake, Work, WorkItem } from "../types.ts";
import type { EventLog } from "./event-log.ts";
import type { Writer } from "./writer.ts";
import type { NewEvent } from "../../protocol/events/index.ts";
import { type RowOf, rowOf, rowsOf } from "./rows.ts";

const WORK = {
  key: "text",
  kind: "text",
  holder: "text",
  epoch: "number",
  lease_until: "number",
} as const;
type WorkRow = RowOf<typeof WORK>;

export interface WorkParts {
  log: EventLog;
  writer: Writer;
  clock: Clock;
  stateOf: typeof holders.state;
  /** Whoever is told who owns something acts upon it: the file must be the one at its path. */
  mustStand: () => void;
  /** Appends inside the current write transaction. */
  append: (stream: string, expectedSeq: number | "any", events: readonly NewEvent[]) => void;
}

/** Due now: its instant has come, or the stream it waits for has gone on. */
const DUE = `SELECT work.* FROM work LEFT JOIN streams ON streams.stream = work.wake_stream
  WHERE work.kind IN (SELECT value FROM json_each(?)) AND work.kind <> ''
    AND (work.wake_at <= ? OR (work.wake_stream <> '' AND coalesce(streams.seq, 0) > work.wake_after))
  ORDER BY work.offered_at, work.key`;

/** An instant that does not come. */
const NEVER = Number.MAX_SAFE_INTEGER;

export class SqliteWork implements Work {
  private readonly parts: WorkParts;

  constructor(parts: WorkParts) {
    this.parts = parts;
  }

  private row(key: string): WorkRow | undefined {
    return rowOf(this.parts.log.sql("SELECT * FROM work WHERE key = ?").get(key), WORK);
  }

  private owned(claim: Claim): boolean {
    const row = this.row(claim.key);
    return row !== undefined && row.epoch === claim.epoch && row.holder === claim.holder;
  }

  /** A living process of this machine is never robbed, however late it is; of others only the lease is known. */
  private isHeld(row: WorkRow, asker?: string): boolean {
    if (row.holder === "") return false;
    const inTime = row.lease_until > this.parts.clock.now();
    const state = this.parts.stateOf(row.holder);
    if (state === "dead") return false;
    return state === "unknown" || row.holder === asker ? inTime : true;
  }

  private take(key: string, row: WorkRow | undefined, holder: string, leaseMs: number): Claim {
    const epoch = (row?.epoch ?? 0) + 1;
    this.parts.log
      .sql(
        `INSERT INTO work (key, holder, epoch, lease_until) VALUES (?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, lease_until = excluded.lease_until`,
      )
      .run(key, holder, epoch, this.parts.clock.now() + leaseMs);
    return { key, kind: row?.kind ?? "", holder, epoch, leaseMs };
  }

  claim(key: string, holder: string, leaseMs: number): Promise<Claim | undefined> {
    return this.parts.writer.run(() => {
      const row = this.row(key);
      return row !== undefined && this.isHeld(row, holder) ? undefined : this.take(key, row, holder, leaseMs);
    });
  }

  offer(items: readonly WorkItem[]): Promise<void> {
    return this.parts.writer.run(() => {
      for (const { key, kind, wake } of items) {
        const row = this.row(key);
        if (row !== undefined && row.kind !== "") continue;
        if (row === undefined) this.parts.log.sql("INSERT INTO work (key, holder, epoch, lease_until) VALUES (?, '', 0, 0)").run(key);
        this.put(key, kind, wake);
      }
    });
  }

  private put(key: string, kind: string, wake: Wake | undefined): void {
    const stream = wake !== undefined && "stream" in wake ? wake : undefined;
    const at = wake === undefined ? 0 : "at" in wake ? wake.at : (wake.until ?? NEVER);
    this.parts.log
      .sql("UPDATE work SET kind = ?, offered_at = ?, wake_at = ?, wake_stream = ?, wake_after = ? WHERE key = ?")
      .run(kind, this.parts.clock.now(), at, stream?.stream ?? "", stream?.after ?? 0, key);
  }

  claimNext(kinds: readonly string[], holder: string, leaseMs: number): Promise<Claim | undefined> {
    return this.parts.writer.run(() => {
      const due = rowsOf(this.parts.log.sql(DUE).all(JSON.stringify(kinds), this.parts.clock.now()), WORK);
      const free = due.find((row) => !this.isHeld(row, holder));
      return free === undefined ? undefined : this.take(free.key, free, holder, leaseMs);
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

  settle(claim: Claim, wake?: Wake): Promise<boolean> {
    return this.parts.writer.run(() => this.release(claim, wake));
  }

  private release(claim: Claim, wake?: Wake): boolean {
    if (!this.owned(claim)) return false;
    // The row stays, so that the epoch never goes back.
    this.parts.log.sql("UPDATE work SET holder = '', lease_until = 0 WHERE key = ?").run(claim.key);
    this.put(claim.key, wake === undefined ? "" : (claim.kind ?? ""), wake);
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

  async holder(key: string): Promise<Claim | undefined> {
    await Promise.resolve(this.parts.mustStand());
    const row = this.row(key);
    if (row === undefined || !this.isHeld(row)) return undefined;
    const { holder, epoch, kind } = row;
    return { key, kind, holder, epoch, leaseMs: row.lease_until - this.parts.clock.now() };
  }
}
