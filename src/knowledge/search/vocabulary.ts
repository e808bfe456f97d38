/**
 * How common a word is, remembered until the index changes: counting a common word walks through all its
 * entries, and one question asks for the same words several times.
 */
import type { DatabaseSync } from "node:sqlite";

const TABLES = {
  chunks: { terms: "chunk_terms", rows: "chunks" },
  files: { terms: "file_terms", rows: "files" },
  commits: { terms: "commit_terms", rows: "commits" },
  entries: { terms: "turn_terms", rows: "turns" },
} as const;

export type VocabularyTable = keyof typeof TABLES;

export interface Vocabulary {
  /** Entries that contain the word. */
  entriesWith(table: VocabularyTable, term: string): number;
  entries(table: VocabularyTable): number;
  /** Forgets what was remembered if the index changed since. The number returned changes with it. */
  refresh(): number;
}

const MAX_REMEMBERED = 100_000;
const known = new WeakMap<DatabaseSync, Vocabulary>();

/** One for each connection. */
export function vocabularyOf(db: DatabaseSync): Vocabulary {
  let found = known.get(db);
  if (found === undefined) {
    found = createVocabulary(db);
    known.set(db, found);
  }
  return found;
}

function createVocabulary(db: DatabaseSync): Vocabulary {
  const version = db.prepare("SELECT data_version AS others, total_changes() AS own FROM pragma_data_version");
  const open = (table: VocabularyTable) => ({
    term: db.prepare(`SELECT doc FROM ${TABLES[table].terms} WHERE term = ?`),
    count: db.prepare(`SELECT count(*) AS n FROM ${TABLES[table].rows}`),
    remembered: new Map<string, number>(),
    total: undefined as number | undefined,
  });
  const tables = { chunks: open("chunks"), files: open("files"), commits: open("commits"), entries: open("entries") };
  let seen: string | undefined;
  let changes = 0;
  return {
    entriesWith(table, term) {
      const { term: lookup, remembered } = tables[table];
      let entries = remembered.get(term);
      if (entries === undefined) {
        entries = (lookup.get(term) as { doc: number } | undefined)?.doc ?? 0;
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(term, entries);
      }
      return entries;
    },
    entries: (table) => (tables[table].total ??= (tables[table].count.get() as { n: number }).n),
    refresh() {
      const row = version.get() as { others: number; own: number };
      const now = `${row.others}:${row.own}`;
      if (now === seen) return changes;
      seen = now;
      for (const table of Object.values(tables)) {
        table.remembered.clear();
        table.total = undefined;
      }
      return (changes += 1);
    },
  };
}
