/** How far a provider's vectors have come, and whether a question may be asked with them. */
import type { DatabaseSync } from "node:sqlite";
import { readMeta } from "../store/meta.ts";

export interface VectorState {
  /** Of the vectors that are stored; undefined when none are. */
  model: string | undefined;
  dimensions: number;
  embedded: number;
  pending: number;
  /** Why the last attempt failed, with its time before a space. */
  trouble: { at: number; reason: string } | undefined;
}

/** With fewer than this share embedded, files would win or lose by having been embedded at all. */
const ENOUGH = 0.9;

export function readVectorState(db: DatabaseSync): VectorState {
  const count = (sql: string): number => (db.prepare(sql).get() as { n: number }).n;
  const trouble = readMeta(db, "embedding_trouble") ?? "";
  const cut = trouble.indexOf(" ");
  return {
    model: readMeta(db, "embedding_model"),
    dimensions: Number(readMeta(db, "embedding_dimensions") ?? 0),
    embedded: count("SELECT count(*) AS n FROM embedded"),
    pending:
      count(
        "SELECT count(DISTINCT c.hash) AS n FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM embedded e WHERE e.domain = 'code' AND e.hash = c.hash)",
      ) +
      count(
        "SELECT count(DISTINCT n.content_hash) AS n FROM turns t JOIN nodes n ON n.key = t.key WHERE NOT EXISTS (SELECT 1 FROM embedded e WHERE e.domain = 'history' AND e.hash = n.content_hash)",
      ),
    trouble: trouble === "" ? undefined : { at: Number(trouble.slice(0, cut)), reason: trouble.slice(cut + 1) },
  };
}

/** All or nothing: a question is asked with vectors of one model. */
export function isUsable(state: VectorState, wanted: string | undefined): boolean {
  return (
    wanted !== undefined && state.model === wanted && state.embedded > 0 && state.embedded >= ENOUGH * (state.embedded + state.pending)
  );
}
