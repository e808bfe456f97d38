/**
 * How an event is hashed and stored. The hash covers the canonical JSON of the whole event under
 * its wire names (snake_case, sorted), so changing any field of a stored event is visible.
 */
import { canonicalJson, sha256, type Json, must } from "../../kernel/index.ts";
import { type JournalEvent, payloads, actorText } from "../../protocol/events/index.ts";
import type { RowOf } from "./rows.ts";

/** Hash before the first event of every stream. */
export const GENESIS = "0".repeat(64);

export const STORED_EVENT = {
  position: "number",
  stream: "text",
  seq: "number",
  id: "text",
  type: "text",
  at: "number",
  actor: "text",
  causation_id: "text?",
  correlation_id: "text?",
  /** Canonical JSON. */
  payload: "text",
  prev_hash: "bytes",
  hash: "bytes",
} as const;
export type StoredEvent = RowOf<typeof STORED_EVENT>;

function text(value: string | null): string {
  return canonicalJson(value);
}

/** `payload` must already be canonical; the keys below are in sorted order. */
export function eventHash(event: Omit<StoredEvent, "position" | "hash" | "prev_hash">, prevHash: string): string {
  return sha256(
    `{"actor":${text(event.actor)},"at":${event.at},"causation_id":${text(event.causation_id)},"correlation_id":${text(event.correlation_id)},` +
      `"id":${text(event.id)},"payload":${event.payload},"prev_hash":"${prevHash}","seq":${event.seq},"stream":${text(event.stream)},"type":${text(event.type)}}`,
  );
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

function eventOf(row: StoredEvent, actor: string, payload: Json): JournalEvent {
  return {
    position: row.position,
    stream: row.stream,
    seq: row.seq,
    id: row.id as JournalEvent["id"],
    type: row.type,
    at: row.at,
    actor,
    causationId: row.causation_id,
    correlationId: row.correlation_id,
    payload,
    prevHash: toHex(row.prev_hash),
    hash: toHex(row.hash),
  };
}

/** As it was written. */
export function asStored(row: StoredEvent): JournalEvent {
  return eventOf(row, row.actor, JSON.parse(row.payload) as Json);
}

function parsed(payload: string): Json | undefined {
  try {
    return JSON.parse(payload) as Json;
  } catch {
    return undefined;
  }
}

/** As the newest version has it. What cannot be understood says why, and is left as it was. */
export function decoded(row: StoredEvent): JournalEvent {
  const stored = parsed(row.payload);
  if (stored === undefined) return { ...eventOf(row, spelling(row.actor), null), fault: "its payload is no JSON" };
  const checked = payloads.decode(row.type, stored);
  switch (checked.kind) {
    case "unknown":
      return eventOf(row, spelling(row.actor), stored);
    case "known":
      return eventOf(row, spelling(row.actor), checked.value as Json);
    case "malformed":
      return { ...eventOf(row, spelling(row.actor), stored), fault: checked.problem };
  }
}

const MAX_SPELLINGS = 1_000;
const spellings = new Map<string, string>();

/** The one spelling of an actor. A journal has few of them. */
function spelling(actor: string): string {
  let known = spellings.get(actor);
  if (known === undefined) {
    known = actorText.spell(actorText.read(actor));
    if (spellings.size < MAX_SPELLINGS) spellings.set(actor, known);
  }
  return known;
}

const BLOB_REF = /"blob:sha256:([0-9a-f]{64})"/g;

/** Hashes of the blobs a canonical payload refers to. */
export function blobHashes(payload: string): string[] {
  if (!payload.includes('"blob:sha256:')) return [];
  return [...new Set(Array.from(payload.matchAll(BLOB_REF), (match) => must(match[1])))];
}
