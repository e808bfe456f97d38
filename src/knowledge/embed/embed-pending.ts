/**
 * Embeds what has no vector of the wanted model yet, in batches that are each kept as soon as they are
 * there: stopped at any point, the next run goes on. What was embedded is never embedded again.
 */
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type Clock, projectFile } from "../../kernel/index.ts";
import type { IndexProgress } from "../types.ts";
import type { VectorAct } from "../store/vector-writer.ts";
import type { VectorDomain, VectorOutcome } from "../store/vector-writer.ts";
import type { Embedder } from "./embedder.ts";
import { readVectorState } from "./vector-state.ts";

const MAX_READ_BYTES = 64 * 1024 * 1024;
const EMBED_LIMITS = { batch: 96, textChars: 4_000, entryChars: 2_000 };

/** The writing side, in the thread that writes. */
export type VectorSink = (act: VectorAct) => Promise<VectorOutcome>;

export interface EmbedParts {
  db: DatabaseSync;
  root: string;
  redact: (text: string) => string;
  clock: Clock;
  sink: VectorSink;
}

export interface EmbedOptions {
  /** No more texts than this; everything when absent. */
  limit?: number | undefined;
  onProgress?: ((progress: IndexProgress) => void) | undefined;
  signal: AbortSignal;
}

export interface EmbedReport {
  model: string;
  embedded: number;
  calls: number;
  pending: number;
  /** Why it stopped before the end. */
  trouble: string | undefined;
}

interface Text {
  domain: VectorDomain;
  hash: string;
  text: string;
}

interface ChunkRow {
  key: number;
  hash: string;
  line: number;
  endLine: number;
  name: string;
  text: string | null;
  path: string;
  fileHash: string;
}

/** Texts without a vector, in order, each once; what changed on disk since it was indexed waits for the next run. */
function createPending(parts: EmbedParts): (limit: number) => Promise<Text[]> {
  const { db } = parts;
  const chunks = db.prepare(
    `SELECT c.key, c.hash, c.line_start AS line, c.line_end AS endLine, c.name, c.text, f.path, f.hash AS fileHash FROM chunks c JOIN files f ON f.key = c.file
     WHERE c.key > ? AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.domain = 'code' AND e.hash = c.hash) ORDER BY c.key LIMIT ?`,
  );
  const entries = db.prepare(
    `SELECT t.key, n.content_hash AS hash, n.author, n.content AS text FROM turns t JOIN nodes n ON n.key = t.key
     WHERE t.key > ? AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.domain = 'history' AND e.hash = n.content_hash) ORDER BY t.key LIMIT ?`,
  );
  const after = { chunk: 0, entry: 0 };
  let open: { path: string; lines: string[] | undefined } | undefined;
  const linesOf = (row: ChunkRow): string[] | undefined => {
    if (open?.path === row.path) return open.lines;
    const found = projectFile.read(parts.root, row.path, { maxBytes: MAX_READ_BYTES });
    const bytes = found.kind === "read" ? found.bytes : undefined;
    const same = bytes !== undefined && createHash("sha256").update(bytes).digest("hex").startsWith(row.fileHash);
    open = { path: row.path, lines: same ? parts.redact(new TextDecoder().decode(bytes)).split("\n") : undefined };
    return open.lines;
  };
  const head = (row: ChunkRow): string => `${row.path} ${row.name}\n`;
  return async (limit) => {
    const out = new Map<string, Text>();
    while (out.size < limit) {
      const rows = chunks.all(after.chunk, limit - out.size) as unknown as ChunkRow[];
      if (rows.length === 0) break;
      for (const row of rows) {
        after.chunk = row.key;
        const text =
          row.text ??
          linesOf(row)
            ?.slice(row.line - 1, row.endLine)
            .join("\n");
        if (text !== undefined)
          out.set(row.hash, { domain: "code", hash: row.hash, text: (head(row) + text).slice(0, EMBED_LIMITS.textChars) });
      }
    }
    while (out.size < limit) {
      const rows = entries.all(after.entry, limit - out.size) as { key: number; hash: string; author: string | null; text: string }[];
      if (rows.length === 0) break;
      for (const row of rows) {
        after.entry = row.key;
        out.set(row.hash, {
          domain: "history",
          hash: row.hash,
          text: `${row.author ?? ""}: ${row.text}`.slice(0, EMBED_LIMITS.entryChars),
        });
      }
    }
    return [...out.values()];
  };
}

function lengthOf(vectors: readonly Float32Array[], texts: number): number | undefined {
  const length = vectors[0]?.length ?? 0;
  return length > 0 && vectors.length === texts && vectors.every((vector) => vector.length === length) ? length : undefined;
}

export async function embedPending(parts: EmbedParts, embedder: Embedder, options: EmbedOptions): Promise<EmbedReport> {
  const { sink } = parts;
  const report: EmbedReport = { model: embedder.model, embedded: 0, calls: 0, pending: 0, trouble: undefined };
  const { model } = embedder;
  const before = readVectorState(parts.db);
  if (before.model !== model) await sink({ kind: "start", model });
  let dimensions = before.model === model ? before.dimensions : 0;
  const total = readVectorState(parts.db).pending;
  let pending = createPending(parts);
  while (report.embedded < (options.limit ?? Infinity)) {
    options.signal.throwIfAborted();
    const batch = await pending(Math.min(EMBED_LIMITS.batch, (options.limit ?? Infinity) - report.embedded));
    if (batch.length === 0) break;
    report.calls += 1;
    const result = await embedder.embed(
      batch.map((one) => one.text),
      options.signal,
    );
    options.signal.throwIfAborted();
    const length = result.kind === "ok" ? lengthOf(result.vectors, batch.length) : undefined;
    if (result.kind === "failed" || length === undefined) {
      report.trouble = result.kind === "failed" ? result.reason : `${model} answered with vectors that do not fit together`;
      await sink({ kind: "note", model, trouble: `${parts.clock.now()} ${report.trouble}` });
      break;
    }
    let outcome: VectorOutcome = { kind: "kept" };
    if (length !== dimensions) {
      outcome = await sink({ kind: "resize", model, from: dimensions, to: length });
      // Whatever had another length is gone and comes again.
      if (dimensions > 0) pending = createPending(parts);
      dimensions = length;
    }
    const vectors = batch.map(({ domain, hash }, i) => ({ domain, hash, vector: result.vectors[i] as Float32Array }));
    if (outcome.kind === "kept") outcome = await sink({ kind: "put", model, dimensions, vectors });
    if (outcome.kind === "refused") {
      report.trouble = `stopped embedding with ${model}: the index now holds vectors of ${outcome.model ?? "no model"} with ${outcome.dimensions} numbers`;
      break;
    }
    report.embedded += batch.length;
    options.onProgress?.({ phase: "embedding", done: report.embedded, total });
  }
  if (report.embedded > 0) await sink({ kind: "tidy" });
  const after = readVectorState(parts.db);
  report.pending = after.model === model ? after.pending : after.pending + after.embedded;
  return report;
}
