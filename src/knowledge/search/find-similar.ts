/** Neighbours of something that is known, by its stored vector (VGD-047). Nothing is embedded for it. */
import type { DatabaseSync } from "node:sqlite";
import { SylkError } from "../../kernel/index.ts";
import { nearnessOf } from "../text/word-vectors.ts";
import { openGraph, type KnowledgeNode } from "../graph/open-graph.ts";
import { createNearSigns } from "./near-signs.ts";

export interface Similar {
  node: KnowledgeNode;
  similarity: number;
}

interface Piece {
  key: number;
  hash: string;
}

/** `meaning`: with the vectors of the configured model rather than the built-in ones. */
export function findSimilar(
  db: DatabaseSync,
  id: string,
  options: { k: number; sameType?: boolean | undefined; meaning: boolean },
): Similar[] {
  const graph = openGraph(db);
  const start = graph.get(id);
  const piece = db
    .prepare(
      `SELECT c.key, c.hash FROM nodes n JOIN chunks c ON c.file = coalesce(n.owner, n.key) WHERE n.id = ?
       ORDER BY c.node = n.key DESC, c.line_start <= n.line_start AND c.line_end >= n.line_start DESC, c.key LIMIT 1`,
    )
    .get(id) as Piece | undefined;
  const vector = piece === undefined ? undefined : options.meaning ? meaningOf(db, piece) : ownVectorOf(db, piece);
  if (start === undefined || piece === undefined || vector === undefined)
    throw new SylkError({
      code: "KNOWLEDGE_NO_SUCH_NODE",
      tier: "user_fixable",
      message: start === undefined ? `nothing is known under ${id}` : `${id} has no vector`,
      fix: "ids look like src/file.ts:name, or come from a search",
    });
  const found: Similar[] = [];
  const seen = new Set([start.id]);
  for (const { chunk, similarity } of nearest(db, vector, options)) {
    const node = nodeOf(db, chunk, (one) => graph.get(one));
    if (node === undefined || seen.has(node.id) || (options.sameType === true && node.type !== start.type)) continue;
    seen.add(node.id);
    found.push({ node, similarity });
    if (found.length >= options.k) break;
  }
  return found;
}

function meaningOf(db: DatabaseSync, piece: Piece): Uint8Array | undefined {
  const row = db
    .prepare("SELECT m.embedding AS vector FROM embedded e JOIN meanings m ON m.key = e.id WHERE e.domain = 'code' AND e.hash = ?")
    .get(piece.hash);
  return (row as { vector: Uint8Array } | undefined)?.vector;
}

function ownVectorOf(db: DatabaseSync, piece: Piece): Uint8Array | undefined {
  return (db.prepare("SELECT vector FROM chunks WHERE key = ?").get(piece.key) as { vector: Uint8Array | null }).vector ?? undefined;
}

/** More than asked for: the same piece, and those of another type, fall out. */
function nearest(
  db: DatabaseSync,
  vector: Uint8Array,
  { k, meaning }: { k: number; meaning: boolean },
): { chunk: number; similarity: number }[] {
  const wanted = Math.min(500, k * 8 + 8);
  if (!meaning) {
    const own = new Int8Array(vector.buffer, vector.byteOffset, vector.length);
    const rows = db
      .prepare("SELECT c.key AS chunk, c.vector FROM json_each(?) j JOIN chunks c ON c.key = j.value")
      .all(JSON.stringify(createNearSigns(db).pieces(own, wanted * 2))) as { chunk: number; vector: Uint8Array }[];
    return rows
      .map((row) => ({
        chunk: row.chunk,
        similarity: nearnessOf(own, new Int8Array(row.vector.buffer, row.vector.byteOffset, row.vector.length)),
      }))
      .sort((a, b) => b.similarity - a.similarity);
  }
  const rows = db
    .prepare(
      `SELECT c.key AS chunk, n.distance FROM (SELECT key, distance FROM meanings WHERE domain = 'code' AND embedding MATCH ? AND k = ?) n
       JOIN embedded e ON e.id = n.key JOIN chunks c ON c.hash = e.hash ORDER BY n.distance`,
    )
    .all(vector, BigInt(wanted));
  return (rows as { chunk: number; distance: number | null }[]).map(({ chunk, distance }) => ({ chunk, similarity: 1 - (distance ?? 1) }));
}

function nodeOf(db: DatabaseSync, chunk: number, get: (id: string) => KnowledgeNode | undefined): KnowledgeNode | undefined {
  const row = db.prepare("SELECT n.id FROM chunks c JOIN nodes n ON n.key = coalesce(c.node, c.file) WHERE c.key = ?").get(chunk) as
    | { id: string }
    | undefined;
  return row === undefined ? undefined : get(row.id);
}
