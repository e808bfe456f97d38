/** Files by the words of their paths. Rare words choose what is looked at, up to a number of entries that does not grow with the project. */
import type { DatabaseSync } from "node:sqlite";
import { vocabularyOf } from "./vocabulary.ts";

export interface PathWords {
  /** Scores by key. */
  find(terms: readonly string[], bounds: { limit: number; entries: number }): Map<number, number>;
}

export function createPathWords(db: DatabaseSync): PathWords {
  const words = vocabularyOf(db);
  // The bound inside, so that even a single word found everywhere costs no more.
  const search = db.prepare(
    "SELECT key, score FROM (SELECT rowid AS key, -bm25(file_fts, 1, 1) AS score FROM file_fts WHERE file_fts MATCH ? LIMIT ?) ORDER BY score DESC LIMIT ?",
  );
  const choose = (terms: readonly string[], most: number): string[] => {
    const known = terms
      .map((term) => ({ term, entries: words.entriesWith("files", term) }))
      .filter(({ entries }) => entries > 0)
      .sort((a, b) => a.entries - b.entries);
    let left = most;
    return known.filter(({ entries }, i) => i === 0 || (left -= entries) > 0).map(({ term }) => term);
  };
  return {
    find(terms, { limit, entries }) {
      const chosen = choose(terms, entries).map((term) => `"${term.replaceAll('"', '""')}"`);
      if (chosen.length === 0) return new Map();
      const rows = search.all(`{path} : (${chosen.join(" OR ")})`, entries, limit) as { key: number; score: number }[];
      return new Map(rows.map(({ key, score }) => [key, score]));
    },
  };
}
