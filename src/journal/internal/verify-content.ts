/**
 * What the chain of events does not cover by itself: blobs by their hash, view rows by folding the events
 * again. Both are derived or referred to, so whoever changes them changes what people see without touching an event.
 */
import { zstdDecompressSync } from "node:zlib";
import type { DatabaseSync } from "node:sqlite";
import { canonicalJson, yieldToLoop, sha256, must } from "../../kernel/index.ts";
import type { View } from "../types.ts";
import type { EventLog } from "./event-log.ts";
import type { JournalEvent } from "../../protocol/events/index.ts";
import type { AnchorProblem } from "./anchors.ts";
import { rowOf, type RowOf, rowsOf } from "./rows.ts";

export interface VerifyProgress {
  phase: "events" | "blobs" | "views";
  done: number;
  total: number;
}

export interface VerifyContext {
  add: (problem: VerifyProblem) => void;
  onProgress?: ((progress: VerifyProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface VerifyProblem {
  kind:
    | "hash_mismatch"
    | "chain_break"
    | "sequence_gap"
    | "position_gap"
    | "head_mismatch"
    | "malformed"
    | "unreadable"
    | "blob_missing"
    | "blob_changed"
    | "view_changed"
    | AnchorProblem["kind"];
  message: string;
  /** A good signature of somebody else. */
  foreignKey?: true | undefined;
  position?: number | undefined;
  stream?: string | undefined;
  seq?: number | undefined;
  id?: string | undefined;
}

const BLOBS_PER_TURN = 64;
const EVENTS_PER_TURN = 1_000;

const BLOB = {
  hash: "text",
  codec: "text",
  data: "bytes",
} as const;
type BlobRow = RowOf<typeof BLOB>;

function contentMatches({ hash, codec, data }: BlobRow): boolean {
  try {
    return sha256(codec === "zstd" ? zstdDecompressSync(data) : data) === hash;
  } catch {
    return false;
  }
}

/** `referred`: hash to the event that names it first. */
export async function verifyBlobs(db: DatabaseSync, referred: ReadonlyMap<string, JournalPlace>, context: VerifyContext): Promise<number> {
  const total = must(rowOf(db.prepare("SELECT count(*) AS n FROM blobs").get(), { n: "number" })).n;
  const page = db.prepare("SELECT hash, codec, data FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?");
  const present = new Set<string>();
  for (let after = ""; ;) {
    context.signal?.throwIfAborted();
    const rows = rowsOf(page.all(after, BLOBS_PER_TURN), BLOB);
    for (const row of rows) {
      present.add(row.hash);
      if (!contentMatches(row))
        context.add({
          kind: "blob_changed",
          message: `blob ${row.hash} no longer has the content it is named by`,
          ...referred.get(row.hash),
        });
    }
    context.onProgress?.({ phase: "blobs", done: present.size, total });
    if (rows.length < BLOBS_PER_TURN) break;
    after = must(rows.at(-1)).hash;
    await yieldToLoop();
  }
  for (const [hash, place] of referred)
    if (!present.has(hash))
      context.add({ kind: "blob_missing", message: `blob ${hash}, named by ${place.stream}#${place.seq}, is gone`, ...place });
  return total;
}

export interface JournalPlace {
  position: number;
  stream: string;
  seq: number;
}

interface Row {
  seq: number;
  state: string;
}

/** As it would be read back: without what JSON leaves out, keys in order. */
function comparable(state: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(state)));
}

function stored(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return "";
  }
}

export async function verifyViews(log: EventLog, views: readonly View<unknown>[], context: VerifyContext): Promise<void> {
  for (const view of views) await verifyView(log, view, context);
}

async function verifyView(log: EventLog, view: View<unknown>, context: VerifyContext): Promise<void> {
  const known = rowOf(log.sql("SELECT version, position FROM views WHERE name = ?").get(view.name), {
    version: "number",
    position: "number",
  });
  if (known?.version !== view.version) return;
  const head = log.headPosition();
  const rows = new Map<string, Row>();
  for (const { key, seq, state } of rowsOf(log.sql("SELECT key, seq, state FROM view_rows WHERE view = ?").all(view.name), {
    key: "text",
    seq: "number",
    state: "text",
  }))
    rows.set(key, { seq, state });
  const bad = (key: string, what: string): void =>
    context.add({ kind: "view_changed", message: `${view.name} of ${key}: ${what}; the events say otherwise` });
  if (known.position > head) bad("everything", `it says it has read to position ${known.position}`);
  const states = new Map<string, unknown>();
  const take = (event: JournalEvent): void => {
    const key = view.key(event);
    if (key === undefined) return;
    const next = view.reduce(states.get(key), event, key);
    if (next === undefined) states.delete(key);
    else states.set(key, next);
    // A snapshot is compared where it was taken; later events are folded on reading.
    const row = view.snapshotEvery === undefined ? undefined : rows.get(key);
    if (row?.seq !== event.seq) return;
    if (next === undefined || comparable(next) !== stored(row.state)) bad(key, "the row was changed");
    rows.delete(key);
  };
  const upTo = Math.min(known.position, head);
  for (let after = 0; after < upTo;) {
    context.signal?.throwIfAborted();
    const events = log.readAll(after, EVENTS_PER_TURN, view.types === undefined ? {} : { types: view.types });
    for (const event of events) if (event.position <= upTo) take(event);
    after = events.length < EVENTS_PER_TURN ? upTo : must(events.at(-1)).position;
    context.onProgress?.({ phase: "views", done: Math.min(after, upTo), total: upTo });
    await yieldToLoop();
  }
  if (view.snapshotEvery !== undefined) {
    for (const key of rows.keys()) bad(key, "the row was added or moved");
    return;
  }
  for (const [key, state] of states) {
    const row = rows.get(key);
    if (row === undefined) bad(key, "the row is gone");
    else if (comparable(state) !== stored(row.state)) bad(key, "the row was changed");
    rows.delete(key);
  }
  for (const key of rows.keys()) bad(key, "the row was added");
}
