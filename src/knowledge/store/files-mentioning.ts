/** Files in whose text or path all of some things occur, each thing within one piece. */
import type { DatabaseSync } from "node:sqlite";
import { tokenize } from "../text/tokenize.ts";

const HOLDS =
  "f.key IN (SELECT c.file FROM chunk_fts t JOIN chunks c ON c.key = t.rowid WHERE chunk_fts MATCH ?1 UNION SELECT rowid FROM file_fts WHERE file_fts MATCH ?1)";

/** Paths, the liveliest first; empty when one of the things has no words. */
export function filesMentioning(db: DatabaseSync, things: readonly string[], limit: number): string[] {
  const wanted = things.map((thing) =>
    tokenize(thing)
      .map((term) => `"${term}"`)
      .join(" AND "),
  );
  if (wanted.length === 0 || wanted.includes("")) return [];
  const where = wanted.map((_, i) => HOLDS.replaceAll("?1", `?${i + 1}`)).join(" AND ");
  const rows = db
    .prepare(`SELECT f.path FROM files f WHERE ${where} ORDER BY f.changes DESC, f.path LIMIT ?${wanted.length + 1}`)
    .all(...wanted, limit);
  return (rows as { path: string }[]).map((row) => row.path);
}
