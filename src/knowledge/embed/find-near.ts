/**
 * What is near a question in the vectors of a provider's model. Exact while there are few, by the signs
 * first when there are many. How alike any two texts of the project are on average is taken off, because
 * many models put everything close together.
 */
import type { DatabaseSync } from "node:sqlite";
import { readMeta } from "../store/meta.ts";
import { paddedBytes, type VectorDomain } from "../store/vector-writer.ts";

const NEAR = { hits: 64, exactUpTo: 10_000, coarseFactor: 4 };

export interface Near {
  /** By file: how far above the usual, 0 to 1, and its nearest piece. */
  files: Map<number, { nearness: number; chunk: number }>;
  entries: Map<number, number>;
}

/** Undefined when what is stored is no longer of this model and length. */
export function findNear(db: DatabaseSync, model: string, vector: Float32Array): Near | undefined {
  // One look: whoever else changes the model meanwhile is seen wholly or not at all.
  db.exec("BEGIN");
  try {
    const same = readMeta(db, "embedding_model") === model && readMeta(db, "embedding_dimensions") === String(vector.length);
    return same ? nearestTo(db, vector) : undefined;
  } finally {
    db.exec("COMMIT");
  }
}

function nearestTo(db: DatabaseSync, vector: Float32Array): Near {
  const bytes = paddedBytes(vector);
  const common = Math.min(0.99, Math.max(0, Number(readMeta(db, "embedding_common") ?? 0)));
  const { n } = db.prepare("SELECT count(*) AS n FROM embedded").get() as { n: number };
  const nearest = (domain: VectorDomain): { key: number; nearness: number }[] => {
    const rows = (
      n <= NEAR.exactUpTo
        ? db
            .prepare("SELECT key, distance FROM meanings WHERE domain = ? AND embedding MATCH ? AND k = ?")
            .all(domain, bytes, BigInt(NEAR.hits))
        : db
            .prepare(
              `SELECT key, vec_distance_cosine(embedding, ?) AS distance FROM meanings WHERE key IN
               (SELECT key FROM meanings WHERE domain = ? AND coarse MATCH vec_quantize_binary(?) AND k = ?) ORDER BY distance LIMIT ?`,
            )
            .all(bytes, domain, bytes, BigInt(NEAR.hits * NEAR.coarseFactor), NEAR.hits)
    ) as { key: number; distance: number | null }[];
    return rows.flatMap(({ key, distance }) => {
      const nearness = (1 - (distance ?? 1) - common) / (1 - common);
      return nearness > 0 ? [{ key, nearness }] : [];
    });
  };
  const chunks = db.prepare("SELECT c.key, c.file FROM embedded e JOIN chunks c ON c.hash = e.hash WHERE e.id = ? AND e.domain = 'code'");
  const entries = db.prepare(
    "SELECT t.key FROM embedded e JOIN nodes n ON n.content_hash = e.hash AND n.domain = 'history' JOIN turns t ON t.key = n.key WHERE e.id = ?",
  );
  const near: Near = { files: new Map(), entries: new Map() };
  for (const { key, nearness } of nearest("code"))
    for (const row of chunks.all(key) as { key: number; file: number }[])
      if (nearness > (near.files.get(row.file)?.nearness ?? 0)) near.files.set(row.file, { nearness, chunk: row.key });
  for (const { key, nearness } of nearest("history"))
    for (const row of entries.all(key) as { key: number }[]) near.entries.set(row.key, nearness);
  return near;
}
