/** The whole index as plain text, without row numbers and times: two indexes of the same project are equal when this is. */
import type { DatabaseSync } from "node:sqlite";

const QUERIES: readonly string[] = [
  "SELECT id, domain, node_type, name, path, language, line_start, line_end, signature, doc, content, content_hash, category, author, timestamp FROM nodes ORDER BY id",
  "SELECT a.id AS source, b.id AS target, e.edge_type, e.weight FROM edges e JOIN nodes a ON a.key = e.source JOIN nodes b ON b.key = e.target ORDER BY 1, 2, 3",
  "SELECT path, hash, size, kind, lines, test, broken, round(changes, 9) AS changes, changed_at FROM files ORDER BY path",
  "SELECT n.path, m.name, m.kind, m.line, m.count, s.id AS symbol FROM mentions m JOIN nodes n ON n.key = m.file LEFT JOIN nodes s ON s.key = m.node ORDER BY 1, 3, 2, 4, 6",
  "SELECT n.path, c.line_start, c.line_end, c.name, c.hash, s.id AS symbol, hex(c.words) AS words, hex(c.vector) AS vector, v.key IS NOT NULL AS signs FROM chunks c JOIN nodes n ON n.key = c.file LEFT JOIN nodes s ON s.key = c.node LEFT JOIN piece_signs v ON v.key = c.key ORDER BY 1, 2",
  "SELECT c.hash, cf.path, cf.change FROM commit_files cf JOIN commits c ON c.key = cf.commit_key ORDER BY 1, 2",
  "SELECT term, doc, cnt FROM file_terms ORDER BY term",
  "SELECT term, doc, cnt FROM chunk_terms ORDER BY term",
  "SELECT term, doc, cnt FROM commit_terms ORDER BY term",
  "SELECT term, doc, cnt FROM turn_terms ORDER BY term",
];

export function describeIndex(db: DatabaseSync): string[] {
  return QUERIES.flatMap((sql) =>
    db
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row)),
  );
}
