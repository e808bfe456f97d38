/** Keeps the file small: archives streams nobody touched for long, drops blobs nobody refers to. */
import type { DatabaseSync } from "node:sqlite";
import { type Clock, must } from "../../kernel/index.ts";
import type { EventLog } from "./event-log.ts";
import type { Signer } from "./signatures.ts";
import type { Writer } from "./writer.ts";
import { rowOf, rowsOf } from "./rows.ts";

export interface CompactOptions {
  /** Streams untouched for this long are archived. */
  idleMs: number;
  /** Blobs younger than this stay even when nothing refers to them yet. */
  blobGraceMs: number;
}

export interface CompactReport {
  archivedStreams: number;
  archivedEvents: number;
  removedBlobs: number;
  bytesBefore: number;
  bytesAfter: number;
}

function fileBytes(db: DatabaseSync): number {
  const pages = must(rowOf(db.prepare("PRAGMA page_count").get(), { page_count: "number" })).page_count;
  const size = must(rowOf(db.prepare("PRAGMA page_size").get(), { page_size: "number" })).page_size;
  return pages * size;
}

export async function compactStore(
  parts: { db: DatabaseSync; log: EventLog; writer: Writer; clock: Clock; signer: Signer | undefined },
  options: CompactOptions,
): Promise<CompactReport> {
  const { db, log, writer, clock, signer } = parts;
  const bytesBefore = fileBytes(db);
  const before = clock.now() - options.idleMs;
  const streams = rowsOf(
    log.sql("SELECT stream FROM streams s WHERE updated_at < ? AND EXISTS (SELECT 1 FROM events e WHERE e.stream = s.stream)").all(before),
    { stream: "text" },
  );
  let archivedEvents = 0;
  for (const { stream } of streams) {
    archivedEvents += await writer.run(() => {
      // Signatures are computed over live events, so what is archived must be signed first.
      signer?.signDue(true);
      return log.archives.store(stream);
    });
  }
  const removedBlobs = await writer.run(() =>
    Number(
      log.sql("DELETE FROM blobs WHERE at < ? AND hash NOT IN (SELECT hash FROM blob_refs)").run(clock.now() - options.blobGraceMs).changes,
    ),
  );
  if (archivedEvents + removedBlobs > 0) db.exec("VACUUM");
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return { archivedStreams: streams.length, archivedEvents, removedBlobs, bytesBefore, bytesAfter: fileBytes(db) };
}
