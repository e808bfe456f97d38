/**
 * Writes entries: what was said or noted, by whom and when. Each gets its place in its thread, by time, and
 * the number of its sitting there, so that what was said around it is found without reading the thread.
 */
import type { DatabaseSync } from "node:sqlite";
import { isoTime, sha256 } from "../../kernel/index.ts";
import { wordVectors } from "../text/word-vectors.ts";
import { indexText, tokenize } from "../text/tokenize.ts";
import { prepareWrite } from "./prepare-write.ts";
import { transaction } from "./transaction.ts";

export interface HistoryEntry {
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

export interface HistoryWriter {
  /** Adds or replaces the entries of a source; returns how many are new or changed. */
  write(source: string, entries: readonly HistoryEntry[]): number;
  /** Removes what this source no longer holds; returns how many those were. */
  keepOnly(source: string, ids: ReadonlySet<string>): number;
}

/** Whose words in the journal are the user's own. */
const USER = "user";
/** A longer silence begins another sitting. */
const SESSION_GAP_MS = 2 * 3_600_000;

interface Place {
  place: number;
  session: number;
  at: number | null;
}

function after(before: Place | undefined, at: number | null): Place {
  if (before === undefined) return { place: 1, session: 1, at };
  const apart = Math.abs((at ?? 0) - (before.at ?? 0)) > SESSION_GAP_MS;
  return { place: before.place + 1, session: before.session + (apart ? 1 : 0), at };
}

export function createHistoryWriter(db: DatabaseSync): HistoryWriter {
  const find = db.prepare(
    "SELECT n.key, n.content, n.author, n.timestamp, t.place FROM nodes n JOIN turns t ON t.key = n.key WHERE n.id = ?",
  );
  const addNode = prepareWrite(
    db,
    `INSERT INTO nodes (id, domain, node_type, name, session_id, timestamp, category, author, content, content_hash, source, verified, verification_type, confidence, trust_level, created_at, updated_at)
    VALUES (?, 'history', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0.9, ?, ?, ?)`,
  );
  const addEntry = prepareWrite(
    db,
    "INSERT INTO turns (key, external_id, thread, author, at, place, session, length, kind, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const prove = prepareWrite(db, "INSERT INTO provenance (node, source_type, source_path, confidence, verified_at) VALUES (?, ?, ?, 1, ?)");
  const drop = prepareWrite(db, "DELETE FROM nodes WHERE key = ?");
  const dropText = prepareWrite(db, "DELETE FROM turn_fts WHERE rowid = ?");
  const dropSigns = prepareWrite(db, "DELETE FROM saying_signs WHERE key = ?");
  const addSigns = prepareWrite(db, "INSERT INTO saying_signs (key, kind, signs) VALUES (?, 'turn', vec_quantize_binary(vec_int8(?)))");
  const remove = (key: number): void => {
    dropText.run(key);
    dropSigns.run(BigInt(key));
    drop.run(key);
  };
  const addText = prepareWrite(db, "INSERT INTO turn_fts (rowid, text, author) VALUES (?, ?, ?)");
  const lastOf = db.prepare("SELECT place, session, at FROM turns WHERE thread = ? ORDER BY place DESC LIMIT 1");
  const inThread = db.prepare("SELECT key, at, place, session FROM turns WHERE thread = ? ORDER BY at, place");
  const move = prepareWrite(db, "UPDATE turns SET place = ?, session = ? WHERE key = ?");

  /** Places of a whole thread again, after something came in between or changed. */
  const renumber = (thread: string): void => {
    let before: Place | undefined;
    for (const row of inThread.all(thread) as unknown as (Place & { key: number })[]) {
      before = after(before, row.at);
      if (before.place !== row.place || before.session !== row.session) move.run(before.place, before.session, row.key);
    }
  };

  return {
    write(source, entries) {
      const disturbed = new Set<string>();
      let changed = 0;
      transaction(db, () => {
        const ends = new Map<string, Place | undefined>();
        for (const entry of entries) {
          const id = `${source}:${entry.id}`;
          const time = entry.at === undefined ? null : isoTime(entry.at);
          const known = find.get(id) as
            | { key: number; content: string; author: string; timestamp: string | null; place: number }
            | undefined;
          if (known?.content === entry.text && known.author === entry.author && known.timestamp === time) continue;
          if (known !== undefined) remove(known.key);
          const at = entry.at ?? null;
          const end = ends.has(entry.thread) ? ends.get(entry.thread) : (lastOf.get(entry.thread) as Place | undefined);
          const next = after(end, at);
          if (known !== undefined || (end !== undefined && (at ?? 0) < (end.at ?? 0))) disturbed.add(entry.thread);
          ends.set(entry.thread, next);
          const terms = tokenize(entry.text);
          const stamp = time ?? isoTime(0);
          const isImport = source.startsWith("import");
          const key = Number(
            addNode.run(
              id,
              entry.kind,
              entry.text.slice(0, 120),
              entry.thread,
              time,
              entry.kind,
              entry.author,
              entry.text,
              sha256(entry.text),
              source,
              1,
              source === "journal" && entry.author === USER ? "by_user" : "from_source",
              isImport ? 60 : 80,
              stamp,
              stamp,
            ).lastInsertRowid,
          );
          for (const { type, path, verifiedAt } of entry.provenance ?? [])
            prove.run(key, type, path, verifiedAt === undefined ? null : isoTime(verifiedAt));
          const table = wordVectors();
          const vector = table.kind === "loaded" ? table.vectors.saying(entry.text) : undefined;
          const bytes = vector === undefined ? null : new Uint8Array(vector.buffer);
          addEntry.run(
            key,
            entry.externalId ?? null,
            entry.thread,
            entry.author,
            at,
            known?.place ?? next.place,
            next.session,
            terms.length,
            entry.kind,
            bytes,
          );
          if (bytes !== null) addSigns.run(BigInt(key), bytes);
          addText.run(key, terms.join(" "), indexText(entry.author));
          changed += 1;
        }
        for (const thread of disturbed) renumber(thread);
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
          for (const row of gone) remove(row.key);
          for (const thread of new Set(gone.map((row) => row.thread))) renumber(thread);
        });
      return gone.length;
    },
  };
}
