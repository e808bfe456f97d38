/** The event table: append inside a write transaction, read outside. Knows nothing of views. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { canonicalJson, newId, SylkError, type Clock, must } from "../../kernel/index.ts";
import type { EventFilter, Fence } from "../types.ts";
import { Archives } from "./archive.ts";
import { blobHashes, decoded, eventHash, GENESIS, toHex, type StoredEvent, STORED_EVENT } from "./event-codec.ts";
import { type JournalEvent, type NewEvent, payloads, actorText } from "../../protocol/events/index.ts";
import { rowOf, rowsOf } from "./rows.ts";

/** An event checked and encoded before the transaction begins. */
export interface Prepared {
  event: NewEvent;
  /** In the one spelling. */
  actor: string;
  payload: string;
  value: unknown;
  blobs: string[];
}

const MAX_STREAM_NAME = 200;

export function prepareEvents(stream: string, events: readonly NewEvent[]): Prepared[] {
  if (stream === "" || stream.length > MAX_STREAM_NAME || events.length === 0) {
    throw new SylkError({ code: "JOURNAL_INVALID_EVENT", tier: "permanent", message: "append needs a stream name and at least one event" });
  }
  return events.map((event) => {
    const checked = payloads.check(event.type, event.payload);
    if (checked.kind !== "known") {
      const message = checked.kind === "unknown" ? `event type ${event.type} is not declared` : `${event.type} refused: ${checked.problem}`;
      throw new SylkError({ code: "JOURNAL_INVALID_EVENT", tier: "permanent", message });
    }
    const payload = canonicalJson(payloads.withVersion(checked.value, checked.version));
    return { event, actor: actorText.spell(event.actor), payload, value: checked.value, blobs: blobHashes(payload) };
  });
}

/** How a row becomes an event. */
type Reading = (row: StoredEvent) => JournalEvent;

export class EventLog {
  readonly archives: Archives;
  private readonly db: DatabaseSync;
  private readonly clock: Clock;
  private readonly statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, clock: Clock) {
    this.db = db;
    this.clock = clock;
    this.archives = new Archives(db);
  }

  sql(text: string): StatementSync {
    let statement = this.statements.get(text);
    if (statement === undefined) this.statements.set(text, (statement = this.db.prepare(text)));
    return statement;
  }

  headPosition(): number {
    return must(rowOf(this.sql("SELECT seq FROM streams WHERE stream = ''").get(), { seq: "number" })).seq;
  }

  head(stream: string): { seq: number; hash: string } {
    const row = rowOf(this.sql("SELECT seq, hash FROM streams WHERE stream = ?").get(stream), { seq: "number", hash: "bytes" });
    return row === undefined ? { seq: 0, hash: GENESIS } : { seq: row.seq, hash: toHex(row.hash) };
  }

  /** Must run inside a write transaction. `known` is true when a retry found its events already stored. */
  append(
    stream: string,
    expectedSeq: number | "any",
    prepared: readonly Prepared[],
    fence?: Fence,
  ): { events: JournalEvent[]; known: boolean } {
    const head = this.head(stream);
    const firstId = prepared[0]?.event.id;
    const duplicate =
      firstId === undefined
        ? undefined
        : rowOf(this.sql("SELECT stream, seq FROM events WHERE id = ?").get(firstId), { stream: "text", seq: "number" });
    if (duplicate !== undefined) return { events: this.repeated(stream, duplicate, prepared), known: true };
    if (fence !== undefined) this.checkFence(fence);
    if (expectedSeq !== "any" && expectedSeq !== head.seq) {
      throw new SylkError({
        code: "JOURNAL_CONFLICT",
        tier: "transient",
        message: `${stream}: expected sequence ${expectedSeq}, found ${head.seq}`,
        details: { stream, expected: expectedSeq, found: head.seq },
      });
    }
    return { events: this.insert(stream, head, prepared), known: false };
  }

  private insert(stream: string, head: { seq: number; hash: string }, prepared: readonly Prepared[]): JournalEvent[] {
    const insert = this.sql(
      "INSERT INTO events (position, stream, seq, id, type, at, actor, causation_id, correlation_id, payload, prev_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    const at = this.clock.now();
    let position = this.headPosition();
    let { seq, hash: prevHash } = head;
    let prevBytes: Uint8Array = Buffer.from(prevHash, "hex");
    const out: JournalEvent[] = [];
    for (const { event, actor, payload, value, blobs } of prepared) {
      position += 1;
      seq += 1;
      const id = event.id ?? newId<"event">("evt", at);
      const causation = event.causationId ?? null;
      const correlation = event.correlationId ?? null;
      const hash = eventHash(
        { stream, seq, id, type: event.type, at, actor, causation_id: causation, correlation_id: correlation, payload },
        prevHash,
      );
      const bytes = Buffer.from(hash, "hex");
      insert.run(position, stream, seq, id, event.type, at, actor, causation, correlation, payload, prevBytes, bytes);
      for (const blob of blobs) this.sql("INSERT OR IGNORE INTO blob_refs (hash, stream) VALUES (?, ?)").run(blob, stream);
      out.push({
        position,
        stream,
        seq,
        id,
        type: event.type,
        at,
        actor,
        causationId: causation,
        correlationId: correlation,
        payload: value as JournalEvent["payload"],
        prevHash,
        hash,
      });
      prevHash = hash;
      prevBytes = bytes;
    }
    this.sql(
      "INSERT INTO streams (stream, seq, hash, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, updated_at = excluded.updated_at",
    ).run(stream, seq, prevBytes, at);
    this.sql("UPDATE streams SET seq = ? WHERE stream = ''").run(position);
    return out;
  }

  /** A retry after a lost reply: the same ids, already stored, in the same place. */
  private repeated(stream: string, found: { stream: string; seq: number }, prepared: readonly Prepared[]): JournalEvent[] {
    const stored = found.stream === stream ? this.read(stream, found.seq, prepared.length) : [];
    const same =
      stored.length === prepared.length &&
      stored.every(
        (event, i) => event.type === prepared[i]?.event.type && canonicalJson(event.payload) === canonicalJson(prepared[i]?.value),
      );
    if (!same) {
      throw new SylkError({
        code: "JOURNAL_CONFLICT",
        tier: "permanent",
        message: `${stream}: event id ${prepared[0]?.event.id} is already used for something else`,
      });
    }
    return stored;
  }

  private checkFence(fence: Fence): void {
    const row = rowOf(this.sql("SELECT epoch FROM work WHERE key = ?").get(fence.key), { epoch: "number" });
    if (row === undefined || row.epoch !== fence.epoch) {
      throw new SylkError({
        code: "JOURNAL_FENCED",
        tier: "permanent",
        message: `${fence.key} now belongs to another process (epoch ${row?.epoch ?? "none"}, ours was ${fence.epoch})`,
        fix: "another process took this work over; watch it there",
      });
    }
  }

  read(stream: string, from: number, limit: number, as: Reading = decoded): JournalEvent[] {
    const archived = this.archives.ofStream(stream, from, limit);
    const next = archived.length === 0 ? from : must(archived.at(-1)).seq + 1;
    const live = rowsOf(
      this.sql("SELECT * FROM events WHERE stream = ? AND seq >= ? ORDER BY seq LIMIT ?").all(stream, next, limit - archived.length),
      STORED_EVENT,
    );
    return [...archived, ...live].map(as);
  }

  readAll(after: number, limit: number, filter: EventFilter = {}, as: Reading = decoded): JournalEvent[] {
    const [clause, parameters] = filterClause(filter);
    const live = rowsOf(
      this.sql(`SELECT * FROM events WHERE position > ? ${clause} ORDER BY position LIMIT ?`).all(after, ...parameters, limit),
      STORED_EVENT,
    );
    const upTo = live.length === limit ? must(live.at(-1)).position : Number.MAX_SAFE_INTEGER;
    const archived = this.archives.between(after, upTo).filter((event) => matches(filter, event));
    if (archived.length === 0) return live.map(as);
    return [...live, ...archived]
      .sort((a, b) => a.position - b.position)
      .slice(0, limit)
      .map(as);
  }

  findById(id: JournalEvent["id"], as: Reading = decoded): JournalEvent | undefined {
    const row = rowOf(this.sql("SELECT * FROM events WHERE id = ?").get(id), STORED_EVENT);
    return row === undefined ? undefined : as(row);
  }
}

export function matches(filter: EventFilter, event: { stream: string; type: string }): boolean {
  if (filter.types !== undefined && !filter.types.includes(event.type)) return false;
  if (filter.stream === undefined) return true;
  return filter.stream.endsWith("/") ? event.stream.startsWith(filter.stream) : event.stream === filter.stream;
}

function filterClause(filter: EventFilter): [string, string[]] {
  const parts: string[] = [];
  const parameters: string[] = [];
  if (filter.stream?.endsWith("/") === true) {
    parts.push("AND stream >= ? AND stream < ?");
    parameters.push(filter.stream, `${filter.stream.slice(0, -1)}0`);
  } else if (filter.stream !== undefined) {
    parts.push("AND stream = ?");
    parameters.push(filter.stream);
  }
  if (filter.types !== undefined) {
    parts.push(`AND type IN (${filter.types.map(() => "?").join(", ")})`);
    parameters.push(...filter.types);
  }
  return [parts.join(" "), parameters];
}
