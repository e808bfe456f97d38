/**
 * Full-text search of bounded cost. Rare words choose what is looked at, up to a number of entries that does
 * not grow with the project; words that are nearly everywhere only add to the score of what was chosen.
 */
import type { DatabaseSync } from "node:sqlite";
import { vocabularyOf, type VocabularyTable } from "./vocabulary.ts";

export interface FullText {
  /** Scores by key, of at most twice `limit` entries. About `entries` are looked at, as long as the rarest word allows. */
  find(terms: readonly string[], bounds: { limit: number; entries: number }): Map<number, number>;
}

export interface FullTextTable {
  table: "chunk_fts" | "file_fts" | "commit_fts";
  vocabulary: VocabularyTable;
  /** Weight of each column. */
  weights: readonly number[];
  /** Look into this column only. */
  column?: string | undefined;
}

/** Words in more than this share of entries choose nothing when there are rarer ones. */
const COMMON_SHARE = 0.25;
/** With so many rare words, common ones would add cost and no order. */
const ENOUGH_RARE = 4;

const quote = (term: string): string => `"${term.replaceAll('"', '""')}"`;
const anyOf = (terms: readonly string[]): string => terms.map(quote).join(" OR ");

export function createFullText(db: DatabaseSync, { table, vocabulary, weights, column }: FullTextTable): FullText {
  const words = vocabularyOf(db);
  // The bound inside, so that even a single word found everywhere costs no more.
  const search = db.prepare(
    `SELECT key, score FROM (SELECT rowid AS key, -bm25(${table}, ${weights.join(", ")}) AS score FROM ${table} WHERE ${table} MATCH ? LIMIT ?) ORDER BY score DESC LIMIT ?`,
  );

  const choose = (terms: readonly string[], most: number): { rare: string[]; common: string[] } => {
    const known = terms
      .map((term) => ({ term, entries: words.entriesWith(vocabulary, term) }))
      .filter(({ entries }) => entries > 0)
      .sort((a, b) => a.entries - b.entries);
    const everywhere = Math.max(20, words.entries(vocabulary) * COMMON_SHARE);
    let sum = 0;
    let rare = 0;
    for (const { entries } of known) {
      sum += entries;
      if (rare > 0 && (sum > most || entries > everywhere)) break;
      rare += 1;
    }
    return {
      rare: known.slice(0, rare).map(({ term }) => term),
      common: known.slice(rare, Math.max(rare, ENOUGH_RARE)).map(({ term }) => term),
    };
  };

  return {
    find(terms, { limit, entries }) {
      const { rare, common } = choose(terms, entries);
      const found = new Map<number, number>();
      if (rare.length === 0) return found;
      const look = (expression: string): void => {
        const whole = column === undefined ? expression : `{${column}} : (${expression})`;
        for (const { key, score } of search.all(whole, entries, limit) as { key: number; score: number }[])
          found.set(key, Math.max(score, found.get(key) ?? 0));
      };
      look(anyOf(rare));
      if (common.length > 0) look(`(${anyOf(rare)}) AND (${anyOf(common)})`);
      return found;
    },
  };
}
