/** Keeps contradictions that were found, and what people decided about them. */
import type { DatabaseSync } from "node:sqlite";
import { isoTime, sha256 } from "../../kernel/index.ts";
import { transaction } from "./transaction.ts";
import { prepareWrite } from "./prepare-write.ts";
import type { Payload } from "../../protocol/events/index.ts";

export interface Conflict {
  id: number;
  type: "temporal" | "source_mismatch" | "semantic";
  subject: string;
  nodeA: string;
  nodeB: string;
  severity: "info" | "warning";
  description: string;
  suggestion: string;
}

export type FoundConflict = Omit<Conflict, "id">;

export interface ConflictWriter {
  /** Found again after it was settled, a conflict stays settled unless one side has changed. */
  note(found: readonly FoundConflict[], at: number): void;
  settle(conflict: Payload<"knowledge.conflict_settled">, at: number): void;
}

export function createConflictWriter(db: DatabaseSync): ConflictWriter {
  const keyOf = db.prepare("SELECT key FROM nodes WHERE id = ?");
  const settled = db.prepare(
    "SELECT resolution, at FROM settled WHERE conflict_type = ? AND subject = ? AND node_a = ? AND node_b = ? AND content_hash = ?",
  );
  const put = prepareWrite(
    db,
    `INSERT INTO conflicts (conflict_type, subject, node_a, node_b, severity, description, suggestion, content_hash, detected_at, resolution, resolved_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (conflict_type, subject, node_a, node_b) DO UPDATE SET description = excluded.description,
     content_hash = excluded.content_hash, resolution = excluded.resolution, resolved_at = excluded.resolved_at`,
  );
  return {
    note: (found, at) =>
      transaction(db, () => {
        for (const { type, subject, nodeA, nodeB, severity, description, suggestion } of found) {
          const [a, b] = [nodeA, nodeB].map((id) => (keyOf.get(id) as { key: number } | undefined)?.key);
          if (a === undefined || b === undefined) continue;
          const hash = sha256(description);
          const done = settled.get(type, subject, nodeA, nodeB, hash) as { resolution: string; at: string } | undefined;
          put.run(type, subject, a, b, severity, description, suggestion, hash, isoTime(at), done?.resolution ?? null, done?.at ?? null);
        }
      }),
    settle: ({ type, subject, node_a: a, node_b: b, description, resolution }, at) =>
      transaction(db, () => {
        prepareWrite(
          db,
          `INSERT INTO settled (conflict_type, subject, node_a, node_b, content_hash, resolution, at) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET content_hash = excluded.content_hash, resolution = excluded.resolution, at = excluded.at`,
        ).run(type, subject, a, b, sha256(description), resolution, isoTime(at));
        prepareWrite(
          db,
          `UPDATE conflicts SET resolution = ?, resolved_at = ? WHERE conflict_type = ? AND subject = ? AND content_hash = ?
           AND node_a = (SELECT key FROM nodes WHERE id = ?) AND node_b = (SELECT key FROM nodes WHERE id = ?)`,
        ).run(resolution, isoTime(at), type, subject, sha256(description), a, b);
      }),
  };
}
