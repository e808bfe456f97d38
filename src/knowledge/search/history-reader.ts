/** Reads entries as ranking needs them: by word, by time, by speaker, with what stands around them, and their texts last. */
import type { DatabaseSync } from "node:sqlite";
import { tokenize } from "../text/tokenize.ts";
import { createNearSigns } from "./near-signs.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Where an entry stands; its text is read only for the few that need it. */
export interface EntryRow {
  key: number;
  thread: string;
  author: string;
  at: number | null;
  place: number;
  session: number;
  length: number;
  vector: Int8Array | undefined;
}

type StoredEntry = Omit<EntryRow, "vector"> & { vector: Uint8Array | null };

function toRow({ vector, ...row }: StoredEntry): EntryRow {
  return { ...row, vector: vector === null ? undefined : new Int8Array(vector.buffer, vector.byteOffset, vector.length) };
}

export interface EntryText {
  text: string;
  externalId: string | undefined;
}

interface HistoryFacts {
  averageLength: number;
  newest: number | undefined;
  /** Words of each speaker's name. */
  authors: ReadonlyMap<string, readonly string[]>;
}

export interface HistoryReader {
  /** Of all entries; remembered until something changes. */
  facts(): HistoryFacts;
  count(): number;
  entriesWith(term: string): number;
  /** Keys of the entries that contain the word. */
  keysWith(term: string, limit: number): number[];
  keysBetween(from: number, to: number, limit: number): number[];
  /** The latest of a speaker. */
  keysBy(author: string, limit: number): number[];
  /** The entries of these keys and those at most so far from them. */
  around(keys: readonly number[], distance: number): EntryRow[];
  texts(keys: readonly number[]): Map<number, EntryText>;
  row(key: number): EntryRow | undefined;
  /** Those whose words may mean something alike. */
  near(vector: Int8Array, count: number): number[];
}

/** The usual length is taken from the latest entries. */
const SAMPLE = 5_000;
const MAX_AUTHORS = 5_000;
/** Rows that are kept between questions, until something changes: about half a kilobyte each. */
const MOST_HELD = 20_000;
const COLUMNS = "t.key, t.thread, t.author, t.at, t.place, t.session, t.length, t.vector";

export function createHistoryReader(db: DatabaseSync): HistoryReader {
  const words = vocabularyOf(db);
  const signs = createNearSigns(db);
  const q = {
    newest: db.prepare("SELECT max(at) AS newest FROM turns"),
    average: db.prepare(`SELECT avg(length) AS average FROM (SELECT length FROM turns ORDER BY key DESC LIMIT ${SAMPLE})`),
    // From one name to the next by the index: as many steps as there are names, not entries.
    authors: db.prepare(
      `WITH RECURSIVE name(author) AS (SELECT min(author) FROM turns UNION ALL
       SELECT (SELECT min(t.author) FROM turns t WHERE t.author > name.author) FROM name WHERE name.author IS NOT NULL)
       SELECT author FROM name WHERE author IS NOT NULL LIMIT ${MAX_AUTHORS}`,
    ),
    term: db.prepare("SELECT rowid FROM turn_fts WHERE turn_fts MATCH ? LIMIT ?"),
    between: db.prepare("SELECT key FROM turns WHERE at >= ? AND at < ? ORDER BY at LIMIT ?"),
    by: db.prepare("SELECT key FROM turns WHERE author = ? ORDER BY at DESC LIMIT ?"),
    around: db.prepare(
      "SELECT DISTINCT t.key FROM json_each(?) j JOIN turns c ON c.key = j.value JOIN turns t ON t.thread = c.thread AND t.place BETWEEN c.place - ? AND c.place + ?",
    ),
    rows: db.prepare(`SELECT ${COLUMNS} FROM json_each(?) j JOIN turns t ON t.key = j.value`),
    texts: db.prepare(
      "SELECT t.key, t.external_id AS externalId, n.content AS text FROM json_each(?) j JOIN turns t ON t.key = j.value JOIN nodes n ON n.key = t.key",
    ),
    row: db.prepare(`SELECT ${COLUMNS} FROM turns t WHERE t.key = ?`),
  };
  for (const statement of [q.term, q.between, q.by, q.around]) statement.setReturnArrays(true);
  const first = (rows: unknown): number[] => (rows as [number][]).map(([key]) => key);
  const held = new Map<number, EntryRow>();
  let heldVersion: number | undefined;
  let remembered: { version: number; facts: HistoryFacts } | undefined;
  return {
    facts() {
      const version = words.refresh();
      if (remembered?.version === version) return remembered.facts;
      const { newest } = q.newest.get() as { newest: number | null };
      const { average } = q.average.get() as { average: number | null };
      const authors = new Map((q.authors.all() as { author: string }[]).map(({ author }) => [author, tokenize(author)]));
      const facts = { averageLength: Math.max(1, average ?? 1), newest: newest ?? undefined, authors };
      remembered = { version, facts };
      return facts;
    },
    count: () => words.entries("entries"),
    entriesWith: (term) => words.entriesWith("entries", term),
    keysWith: (term, limit) => first(q.term.all(`text : "${term.replaceAll('"', '""')}"`, limit)),
    keysBetween: (from, to, limit) => first(q.between.all(from, to, limit)),
    keysBy: (author, limit) => first(q.by.all(author, limit)),
    around(keys, distance) {
      const version = words.refresh();
      if (version !== heldVersion || held.size > MOST_HELD) held.clear();
      heldVersion = version;
      const wanted = first(q.around.all(JSON.stringify(keys), distance, distance));
      const missing = wanted.filter((key) => !held.has(key));
      if (missing.length > 0)
        for (const row of q.rows.all(JSON.stringify(missing)) as unknown as StoredEntry[]) held.set(row.key, toRow(row));
      return wanted.flatMap((key) => held.get(key) ?? []);
    },
    texts(keys) {
      const rows = q.texts.all(JSON.stringify(keys)) as { key: number; externalId: string | null; text: string }[];
      return new Map(rows.map(({ key, externalId, text }) => [key, { text, externalId: externalId ?? undefined }]));
    },
    row(key) {
      const found = q.row.get(key) as StoredEntry | undefined;
      return found === undefined ? undefined : toRow(found);
    },
    near: (vector, count) => signs.sayings("turn", vector, count),
  };
}
