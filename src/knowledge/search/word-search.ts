/**
 * Full-text search in which every word of the question counts and the cost is bounded. Words that tell
 * most choose what is looked at, as far as an allowance of entries goes (in a small project: everything
 * that has any of the words); what was chosen is then weighed exactly, by all words, from its own bag.
 */
import type { DatabaseSync } from "node:sqlite";
import { readBag, wordNumber, type BagReader } from "../text/word-bag.ts";
import { vocabularyOf } from "./vocabulary.ts";

export interface WordHit {
  key: number;
  /** The file of a piece; 0 for what has none. */
  owner: number;
  score: number;
  vector: Int8Array | undefined;
}

export interface WordSearch {
  /** Words with what each counts. Best first. */
  find(words: ReadonlyMap<string, number>, bounds: WordBounds): WordHit[];
  /** The same of what was found elsewhere. */
  weigh(words: ReadonlyMap<string, number>, keys: readonly number[]): WordHit[];
  /** What the words tell together: the score of a piece of usual length that has each once. */
  worth(words: ReadonlyMap<string, number>): number;
}

export interface WordBounds {
  /** Entries of the index that may be read to choose what is looked at. */
  entries: number;
  /** What is weighed exactly. */
  weighed: number;
}

const BM25 = { k1: 1.2, b: 0.75 };
/** With more words than this a bag is walked through instead of asked for each. */
const MANY_WORDS = 60;

const TABLES = {
  chunks: { text: "chunk_fts", owner: "t.file" },
  commits: { text: "commit_fts", owner: "0" },
} as const;

interface Word {
  number: number;
  worth: number;
}

type StoredRow = [key: number, owner: number, length: number, words: Uint8Array, vector: Uint8Array | null];

interface Row {
  key: number;
  owner: number;
  length: number;
  bag: BagReader;
  vector: Int8Array | undefined;
}

/** Rows that are kept between questions, until the index changes: about a kilobyte each. */
const MOST_HELD = 20_000;

export function createWordSearch(db: DatabaseSync, table: keyof typeof TABLES): WordSearch {
  const vocabulary = vocabularyOf(db);
  const { text, owner } = TABLES[table];
  const entriesOf = db.prepare(`SELECT rowid FROM ${text} WHERE ${text} MATCH ? LIMIT ?`);
  entriesOf.setReturnArrays(true);
  const rowsOf = db.prepare(
    `SELECT t.key, ${owner} AS owner, t.length, t.words, t.vector FROM json_each(?) j JOIN ${table} t ON t.key = j.value`,
  );
  rowsOf.setReturnArrays(true);
  const held = new Map<number, Row>();
  let heldVersion: number | undefined;
  const rows = (keys: readonly number[]): Row[] => {
    const version = vocabulary.refresh();
    if (version !== heldVersion || held.size > MOST_HELD) held.clear();
    heldVersion = version;
    const missing = keys.filter((key) => !held.has(key));
    if (missing.length > 0)
      for (const [key, owner, length, words, vector] of rowsOf.all(JSON.stringify(missing)) as unknown as StoredRow[])
        held.set(key, {
          key,
          owner,
          length,
          bag: readBag(words),
          vector: vector === null ? undefined : new Int8Array(vector.buffer, vector.byteOffset, vector.length),
        });
    const found: Row[] = [];
    for (const key of keys) {
      const row = held.get(key);
      if (row !== undefined) found.push(row);
    }
    return found;
  };
  const averageOf = db.prepare(`SELECT avg(length) AS average FROM ${table}`);
  let usual: { version: number; length: number } | undefined;
  const usualLength = (): number => {
    const version = vocabulary.refresh();
    if (usual?.version !== version) usual = { version, length: Math.max(1, (averageOf.get() as { average: number | null }).average ?? 1) };
    return usual.length;
  };
  const idf = (term: string): number => {
    const n = vocabulary.entriesWith(table, term);
    return n === 0 ? 0 : Math.log(1 + (vocabulary.entries(table) - n + 0.5) / (n + 0.5));
  };

  const choose = (words: ReadonlyMap<string, number>, { entries, weighed }: WordBounds): number[] => {
    const telling = [...words]
      .map(([term, weight]) => ({ term, worth: weight * idf(term), entries: vocabulary.entriesWith(table, term) }))
      .filter((one) => one.worth > 0)
      .sort((a, b) => b.worth - a.worth);
    const scores = new Map<number, number>();
    let left = entries;
    for (const one of telling) {
      if (scores.size > 0 && one.entries > left) continue;
      for (const [key] of entriesOf.all(`"${one.term.replaceAll('"', '""')}"`, left) as unknown as [number][])
        scores.set(key, (scores.get(key) ?? 0) + one.worth);
      left -= one.entries;
      if (left <= 0) break;
    }
    if (scores.size <= weighed) return [...scores.keys()];
    return [...scores]
      .sort((a, b) => b[1] - a[1])
      .slice(0, weighed)
      .map(([key]) => key);
  };

  const weigh = (words: ReadonlyMap<string, number>, keys: readonly number[]): WordHit[] => {
    const usualSize = usualLength();
    const list: Word[] = [...words]
      .map(([term, weight]) => ({ number: wordNumber(term), worth: weight * idf(term) }))
      .filter(({ worth }) => worth > 0);
    const byNumber = list.length > MANY_WORDS ? new Map(list.map(({ number, worth }) => [number, worth])) : undefined;
    const scoreOf = ({ bag, length }: Row): number => {
      const dampen = BM25.k1 * (1 - BM25.b + (BM25.b * length) / usualSize);
      const part = (worth: number, times: number): number => (worth * times * (BM25.k1 + 1)) / (times + dampen);
      let sum = 0;
      if (byNumber === undefined) {
        for (const { number, worth } of list) {
          const times = bag.of(number);
          if (times > 0) sum += part(worth, times);
        }
        return sum;
      }
      for (let i = 0; i < bag.size; i += 1) {
        const worth = byNumber.get(bag.number(i));
        if (worth !== undefined) sum += part(worth, bag.count(i));
      }
      return sum;
    };
    return rows(keys)
      .map((row) => ({ key: row.key, owner: row.owner, score: scoreOf(row), vector: row.vector }))
      .sort((a, b) => b.score - a.score);
  };

  return {
    find: (words, bounds) => weigh(words, choose(words, bounds)),
    weigh,
    worth: (words) => [...words].reduce((sum, [term, weight]) => sum + weight * idf(term), 0),
  };
}
