/**
 * How an event is hashed and stored. The hash covers the canonical JSON of the whole event under
 * its wire names (snake_case, sorted), so changing any field of a stored event is visible.
 */
import { quoted, sha256, type EventId, type Json } from "../../kernel/index.ts";
import type { JournalEvent } from "../types.ts";

/** Hash before the first event of every stream. */
export const GENESIS = "0".repeat(64);

export interface StoredEvent {
  position: number;
  stream: string;
  seq: number;
  id: string;
  type: string;
  at: number;
  actor: string;
  causation_id: string | null;
  correlation_id: string | null;
  /** Canonical JSON. */
  payload: string;
  prev_hash: Uint8Array;
  hash: Uint8Array;
}

function text(value: string | null): string {
  return value === null ? "null" : quoted(value);
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

export function fromStored(row: StoredEvent): JournalEvent {
  return {
    position: row.position,
    stream: row.stream,
    seq: row.seq,
    id: row.id as EventId,
    type: row.type,
    at: row.at,
    actor: row.actor,
    causationId: row.causation_id,
    correlationId: row.correlation_id,
    payload: JSON.parse(row.payload) as Json,
    prevHash: toHex(row.prev_hash),
    hash: toHex(row.hash),
  };
}

const BLOB_REF = /"blob:sha256:([0-9a-f]{64})"/g;

/** Hashes of the blobs a canonical payload refers to. */
export function blobHashes(payload: string): string[] {
  if (!payload.includes('"blob:sha256:')) return [];
  return [...new Set(Array.from(payload.matchAll(BLOB_REF), (match) => match[1] as string))];
}
