/** How large the index is, what its vectors are of, and whether its file is sound. */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { CacheCounts } from "../cache/intent-cache.ts";
import { isUsable, type VectorState } from "../embed/vector-state.ts";
import { wordVectors } from "../text/word-vectors.ts";
import { isReadInPart } from "../ingest/read-limits.ts";
import { readMeta } from "../store/meta.ts";
import type { KnowledgeStatus } from "../types.ts";

export interface StatusParts {
  db: DatabaseSync;
  file: string;
  /** The embedding model that is configured now. */
  wanted: string | undefined;
  stored: VectorState;
  /** Why this process's last run of embedding stopped. */
  trouble: string | undefined;
  cache: CacheCounts;
}

export function readStatus({ db, file, wanted, stored, trouble, cache }: StatusParts): KnowledgeStatus {
  const inUse = isUsable(stored, wanted);
  const own = stored.model === wanted;
  const count = (sql: string): number => (db.prepare(sql).get() as { n: number }).n;
  return {
    file,
    bytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    indexedAt: readMeta(db, "indexed_at"),
    files: count("SELECT count(*) AS n FROM files"),
    cut: (db.prepare("SELECT path, kind, size FROM files ORDER BY size DESC").all() as { path: string; kind: string; size: number }[])
      .filter(isReadInPart)
      .map((one) => one.path),
    symbols: count("SELECT count(*) AS n FROM nodes WHERE owner IS NOT NULL"),
    chunks: count("SELECT count(*) AS n FROM chunks"),
    commits: count("SELECT count(*) AS n FROM commits"),
    entries: count("SELECT count(*) AS n FROM turns"),
    edges: count("SELECT count(*) AS n FROM edges"),
    cache,
    vectors: inUse
      ? { model: stored.model as string, dimensions: stored.dimensions, count: stored.embedded }
      : builtIn(count("SELECT count(*) AS n FROM chunks WHERE vector IS NOT NULL")),
    embeddings:
      wanted === undefined
        ? undefined
        : {
            model: wanted,
            dimensions: own ? stored.dimensions : 0,
            embedded: own ? stored.embedded : 0,
            pending: own ? stored.pending : stored.pending + stored.embedded,
            inUse,
            trouble: own ? stored.trouble?.reason : trouble,
          },
    historyPartial: readMeta(db, "git_partial") === "1",
  };
}

function builtIn(count: number): KnowledgeStatus["vectors"] {
  const table = wordVectors();
  return table.kind === "loaded"
    ? { model: `builtin/${table.vectors.name}`, dimensions: table.vectors.dimensions, count }
    : { model: "none", dimensions: 0, count };
}

/** Undefined when sound. */
export function findDamage(db: DatabaseSync): string | undefined {
  const { integrity_check: said } = db.prepare("PRAGMA integrity_check").get() as { integrity_check: string };
  if (said !== "ok") return said;
  const broken = db.prepare("PRAGMA foreign_key_check").all();
  return broken.length === 0 ? undefined : `${broken.length} rows point to nothing`;
}
