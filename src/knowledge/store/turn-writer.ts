/**
 * Writes turns: what was said or noted, by whom and when. A turn is found by its own words and, less
 * strongly, by those said just before and after it, since an answer seldom repeats its question.
 */
import type { DatabaseSync } from "node:sqlite";
import { isoTime, sha256 } from "../../kernel/index.ts";
import { indexText } from "../text/tokenize.ts";
import { prepareWrite } from "./prepare-write.ts";
import { transaction } from "./file-writer.ts";

export interface NewTurn {
  /** Unique within its source. */
  id: string;
  externalId: string | undefined;
  thread: string;
  author: string;
  at: number | undefined;
  text: string;
  kind: string;
  /** Where it was shown to be so. */
  provenance?: { type: "code" | "history"; path: string; verifiedAt: number | undefined }[] | undefined;
}

export interface TurnWriter {
  /** Adds or replaces the turns of a source; returns how many are new or changed. */
  write(source: string, turns: readonly NewTurn[]): number;
  /** Removes what this source no longer holds; returns how many those were. */
  keepOnly(source: string, ids: ReadonlySet<string>): number;
}

const TURN_LIMITS = { neighbours: 2 };

export function createTurnWriter(db: DatabaseSync): TurnWriter {
  const find = db.prepare("SELECT key, content, author, timestamp FROM nodes WHERE id = ?");
  const addNode = prepareWrite(
    db,
    `INSERT INTO nodes (id, domain, node_type, name, session_id, timestamp, category, author, content, content_hash, source, verified, verification_type, confidence, trust_level, created_at, updated_at)
    VALUES (?, 'history', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0.9, ?, ?, ?)`,
  );
  const addTurn = prepareWrite(db, "INSERT INTO turns (key, external_id, thread, author, at, place, kind) VALUES (?, ?, ?, ?, ?, ?, ?)");
  const prove = prepareWrite(db, "INSERT INTO provenance (node, source_type, source_path, confidence, verified_at) VALUES (?, ?, ?, 1, ?)");
  const drop = prepareWrite(db, "DELETE FROM nodes WHERE key = ?");
  const dropText = prepareWrite(db, "DELETE FROM turn_fts WHERE rowid = ?");
  const addText = prepareWrite(db, "INSERT INTO turn_fts (rowid, text, around, author) VALUES (?, ?, ?, ?)");
  const place = db.prepare("SELECT coalesce(max(place), 0) AS last FROM turns WHERE thread = ?");
  const inThread = db.prepare(
    "SELECT t.key, t.author, n.content FROM turns t JOIN nodes n ON n.key = t.key WHERE t.thread = ? ORDER BY t.at, t.place",
  );

  /** Texts of a whole thread again: a new turn changes what stands around the last ones. */
  const indexThread = (thread: string): void => {
    const rows = inThread.all(thread) as { key: number; author: string; content: string }[];
    const texts = rows.map((row) => indexText(row.content));
    for (const [i, row] of rows.entries()) {
      const around: string[] = [];
      for (let d = 1; d <= TURN_LIMITS.neighbours; d += 1) around.push(texts[i - d] ?? "", texts[i + d] ?? "");
      dropText.run(row.key);
      addText.run(row.key, texts[i] as string, around.join(" "), indexText(row.author));
    }
  };

  return {
    write(source, turns) {
      const threads = new Set<string>();
      let changed = 0;
      transaction(db, () => {
        const places = new Map<string, number>();
        for (const turn of turns) {
          const id = `${source}:${turn.id}`;
          const time = turn.at === undefined ? null : isoTime(turn.at);
          const known = find.get(id) as { key: number; content: string; author: string; timestamp: string | null } | undefined;
          if (known?.content === turn.text && known.author === turn.author && known.timestamp === time) continue;
          if (known !== undefined) {
            dropText.run(known.key);
            drop.run(known.key);
          }
          const at = (places.get(turn.thread) ?? (place.get(turn.thread) as { last: number }).last) + 1;
          places.set(turn.thread, at);
          const stamp = time ?? isoTime(0);
          const isImport = source.startsWith("import");
          const key = Number(
            addNode.run(
              id,
              turn.kind,
              turn.text.slice(0, 120),
              turn.thread,
              time,
              turn.kind,
              turn.author,
              turn.text,
              sha256(turn.text),
              source,
              1,
              isImport ? "by_user" : "from_source",
              isImport ? 60 : 80,
              stamp,
              stamp,
            ).lastInsertRowid,
          );
          for (const { type, path, verifiedAt } of turn.provenance ?? [])
            prove.run(key, type, path, verifiedAt === undefined ? null : isoTime(verifiedAt));
          addTurn.run(key, turn.externalId ?? null, turn.thread, turn.author, turn.at ?? null, at, turn.kind);
          threads.add(turn.thread);
          changed += 1;
        }
        for (const thread of threads) indexThread(thread);
      });
      return changed;
    },
    keepOnly(source, ids) {
      const rows = db.prepare("SELECT t.key, t.thread, n.id FROM turns t JOIN nodes n ON n.key = t.key WHERE n.source = ?").all(source) as {
        key: number;
        thread: string;
        id: string;
      }[];
      const gone = rows.filter((row) => !ids.has(row.id.slice(source.length + 1)));
      if (gone.length > 0)
        transaction(db, () => {
          for (const row of gone) {
            dropText.run(row.key);
            drop.run(row.key);
          }
          for (const thread of new Set(gone.map((row) => row.thread))) indexThread(thread);
        });
      return gone.length;
    },
  };
}
