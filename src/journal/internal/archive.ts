/**
 * Old streams, compressed. An archived stream's events leave the table and live on as one
 * compressed segment, byte for byte, so that its chain still verifies and it can still be read.
 */
import { must } from "../../kernel/index.ts";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { STORED_EVENT, type StoredEvent } from "./event-codec.ts";
import { type RowOf, rowsOf } from "./rows.ts";

type Line = [number, number, string, string, number, string, string | null, string | null, string, string, string];

const SEGMENT = {
  stream: "text",
  from_seq: "number",
  to_seq: "number",
  first_position: "number",
  last_position: "number",
  data: "bytes",
} as const;
type SegmentRow = RowOf<typeof SEGMENT>;

const MAX_EVENTS_PER_SEGMENT = 5_000;
const CACHED_SEGMENTS = 8;

export class Archives {
  private readonly cache = new Map<string, StoredEvent[]>();
  private readonly db: DatabaseSync;
  private readonly streamRows: StatementSync;
  private readonly rowsBetween: StatementSync;

  constructor(db: DatabaseSync) {
    this.db = db;
    this.streamRows = db.prepare("SELECT * FROM archives WHERE stream = ? AND to_seq >= ? ORDER BY from_seq");
    this.rowsBetween = db.prepare("SELECT * FROM archives WHERE last_position > ? AND first_position <= ?");
  }

  /** Archived events of a stream with `seq >= from`, ascending. */
  ofStream(stream: string, from: number, limit: number): StoredEvent[] {
    const rows = rowsOf(this.streamRows.all(stream, from), SEGMENT);
    const out: StoredEvent[] = [];
    for (const row of rows) {
      for (const event of this.decode(row)) if (event.seq >= from && out.length < limit) out.push(event);
      if (out.length >= limit) break;
    }
    return out;
  }

  /** Archived events with `after < position <= upTo`, ascending by position. */
  between(after: number, upTo: number): StoredEvent[] {
    const rows = rowsOf(this.rowsBetween.all(after, upTo), SEGMENT);
    const out: StoredEvent[] = [];
    for (const row of rows) for (const event of this.decode(row)) if (event.position > after && event.position <= upTo) out.push(event);
    return out.sort((a, b) => a.position - b.position);
  }

  /** Moves the live events of a stream into segments. Runs inside a write transaction. */
  store(stream: string): number {
    const events = rowsOf(this.db.prepare("SELECT * FROM events WHERE stream = ? ORDER BY seq").all(stream), STORED_EVENT);
    for (let at = 0; at < events.length; at += MAX_EVENTS_PER_SEGMENT) {
      const part = events.slice(at, at + MAX_EVENTS_PER_SEGMENT);
      const first = must(part[0]);
      const last = must(part.at(-1));
      const lines = part.map((e): Line => [
        e.position,
        e.seq,
        e.id,
        e.type,
        e.at,
        e.actor,
        e.causation_id,
        e.correlation_id,
        e.payload,
        hex(e.prev_hash),
        hex(e.hash),
      ]);
      this.db
        .prepare("INSERT INTO archives (stream, from_seq, to_seq, first_position, last_position, data) VALUES (?, ?, ?, ?, ?, ?)")
        .run(stream, first.seq, last.seq, first.position, last.position, zstdCompressSync(Buffer.from(JSON.stringify(lines))));
    }
    this.db.prepare("DELETE FROM events WHERE stream = ?").run(stream);
    return events.length;
  }

  private decode(row: SegmentRow): StoredEvent[] {
    const key = `${row.stream}\n${row.from_seq}`;
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const lines = JSON.parse(zstdDecompressSync(row.data).toString("utf8")) as Line[];
    const events = lines.map(([position, seq, id, type, at, actor, causation_id, correlation_id, payload, prev, hash]): StoredEvent => ({
      position,
      stream: row.stream,
      seq,
      id,
      type,
      at,
      actor,
      causation_id,
      correlation_id,
      payload,
      prev_hash: Buffer.from(prev, "hex"),
      hash: Buffer.from(hash, "hex"),
    }));
    this.cache.set(key, events);
    if (this.cache.size > CACHED_SEGMENTS) this.cache.delete(must(this.cache.keys().next().value));
    return events;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
