/**
 * Writes the vectors of a provider's model. They belong to a text (its hash), not to a place, so that a
 * section that moves or a file that is read again costs nothing. One model and one length at a time:
 * starting with another removes everything of the one before, and whoever still brings vectors of the one
 * before is refused.
 */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./transaction.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { prepareWrite } from "./prepare-write.ts";

export type VectorAct =
  | { kind: "start"; model: string }
  | { kind: "resize"; model: string; from: number; to: number }
  | { kind: "put"; model: string; dimensions: number; vectors: NewVector[] }
  | { kind: "tidy" }
  | { kind: "note"; model: string; trouble: string };

export type VectorDomain = "code" | "history";

export interface NewVector {
  domain: VectorDomain;
  hash: string;
  vector: Float32Array;
}

/** Refused when the table has come to belong to another model or length meanwhile. */
export type VectorOutcome = { kind: "kept" } | { kind: "refused"; model: string | undefined; dimensions: number };

export interface VectorWriter {
  /** The table is this model's from now on. Keeps what is there when it already is; removes it otherwise. */
  start(model: string): void;
  /** The model's vectors have another length: what has the one before goes. */
  resize(model: string, from: number, to: number): VectorOutcome;
  put(model: string, dimensions: number, vectors: readonly NewVector[]): VectorOutcome;
  /** Removes vectors of texts that are no longer there, and looks again how alike any two texts are. */
  tidy(): void;
  /** Remembers why a model failed, unless the table is another's by now. */
  note(model: string, trouble: string): void;
}

const SAMPLE = 64;

/** The index of signs wants whole bytes; zeros at the end change no angle. */
export function paddedBytes(vector: Float32Array): Uint8Array {
  const padded = new Float32Array(Math.ceil(vector.length / 8) * 8);
  padded.set(vector);
  return new Uint8Array(padded.buffer);
}

export function createVectorWriter(db: DatabaseSync): VectorWriter {
  const meanSimilarity = (): number => {
    const row = db
      .prepare(
        `WITH some AS (SELECT embedding AS v, key FROM meanings WHERE key IN (SELECT id FROM embedded ORDER BY hash LIMIT ${SAMPLE}))
         SELECT avg(1 - vec_distance_cosine(a.v, b.v)) AS mean FROM some a JOIN some b ON a.key < b.key`,
      )
      .get() as { mean: number | null };
    return row.mean ?? 0;
  };
  const owner = (): { model: string | undefined; dimensions: number } => ({
    model: readMeta(db, "embedding_model"),
    dimensions: Number(readMeta(db, "embedding_dimensions") ?? 0),
  });
  const makeAnew = (model: string, dimensions: number): void => {
    db.exec("DROP TABLE IF EXISTS meanings; DELETE FROM embedded");
    const padded = Math.ceil(dimensions / 8) * 8;
    if (padded > 0)
      db.exec(
        `CREATE VIRTUAL TABLE meanings USING vec0(key INTEGER PRIMARY KEY, domain TEXT PARTITION KEY, coarse BIT[${padded}], embedding FLOAT[${padded}] distance_metric=cosine)`,
      );
    writeMeta(db, "embedding_model", model);
    writeMeta(db, "embedding_dimensions", String(dimensions));
    writeMeta(db, "embedding_trouble", "");
  };
  return {
    start: (model) =>
      transaction(db, () => {
        if (owner().model !== model) makeAnew(model, 0);
      }),
    resize: (model, from, to) =>
      transaction(db, () => {
        const now = owner();
        if (now.model !== model || (now.dimensions !== from && now.dimensions !== to)) return { kind: "refused", ...now };
        if (now.dimensions !== to) makeAnew(model, to);
        return { kind: "kept" };
      }),
    put: (model, dimensions, vectors) =>
      transaction(db, () => {
        const now = owner();
        if (now.model !== model || now.dimensions !== dimensions) return { kind: "refused", ...now };
        const add = prepareWrite(db, "INSERT INTO embedded (domain, hash) VALUES (?, ?) ON CONFLICT DO NOTHING");
        const addVector = prepareWrite(
          db,
          "INSERT INTO meanings (key, domain, coarse, embedding) VALUES (?, ?, vec_quantize_binary(?), ?)",
        );
        for (const { domain, hash, vector } of vectors) {
          const added = add.run(domain, hash);
          if (Number(added.changes) === 0) continue;
          const bytes = paddedBytes(vector);
          addVector.run(BigInt(added.lastInsertRowid), domain, bytes, bytes);
        }
        writeMeta(db, "embedding_trouble", "");
        return { kind: "kept" };
      }),
    tidy: () =>
      transaction(db, () => {
        const gone = db
          .prepare(
            `SELECT id FROM embedded WHERE (domain = 'code' AND hash NOT IN (SELECT hash FROM chunks))
             OR (domain = 'history' AND hash NOT IN (SELECT content_hash FROM nodes WHERE content_hash IS NOT NULL AND domain = 'history'))`,
          )
          .all() as { id: number }[];
        for (const { id } of gone) {
          prepareWrite(db, "DELETE FROM meanings WHERE key = ?").run(BigInt(id));
          prepareWrite(db, "DELETE FROM embedded WHERE id = ?").run(id);
        }
        writeMeta(db, "embedding_common", String(meanSimilarity()));
      }),
    note: (model, trouble) =>
      transaction(db, () => {
        if (owner().model === model) writeMeta(db, "embedding_trouble", trouble);
      }),
  };
}
