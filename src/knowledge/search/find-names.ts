/**
 * The net below full text: names of symbols and files that contain a word, or are spelt almost like it.
 * Asked only for words the index does not know, so that a misspelt or half-remembered name still leads
 * somewhere; what it finds always stands below what full text found.
 */
import type { DatabaseSync } from "node:sqlite";

const NAMES = { minChars: 3, maxChars: 64, entries: 2_000, candidates: 150, likeness: 0.5, words: 3 };

export interface NameHit {
  /** Key of the file. */
  file: number;
  path: string;
  kind: string;
  /** The symbol, or the path itself. */
  id: string;
  name: string;
  lines: { from: number; to: number } | undefined;
  /** 1 = contains the word; less = spelt alike. */
  likeness: number;
}

function trigrams(text: string): Set<string> {
  const chars = Array.from(text.toLowerCase());
  return new Set(chars.slice(2).map((_, i) => chars.slice(i, i + 3).join("")));
}

/** One slip leaves one of two halves whole, two slips one of three thirds: what is spelt alike contains one of these. */
function wholeParts(word: string): string[] {
  const count = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  const parts = Array.from({ length: count }, (_, i) =>
    word.slice(Math.floor((i * word.length) / count), Math.floor(((i + 1) * word.length) / count)),
  );
  return count === 1 ? [...trigrams(word)] : parts;
}

/** Shared trigrams of both, of 0 to 1; ends count, since typos seldom hit the first letter. */
function likeness(a: string, b: string): number {
  const [x, y] = [trigrams(`^${a}$`), trigrams(`^${b}$`)];
  let shared = 0;
  for (const one of x) if (y.has(one)) shared += 1;
  return (2 * shared) / Math.max(1, x.size + y.size);
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

export interface NameFinder {
  find(words: readonly string[]): NameHit[];
}

export function createNameFinder(db: DatabaseSync): NameFinder {
  const byText = db.prepare(
    `SELECT n.key, n.id, n.name, n.path, n.owner, n.line_start AS line, n.line_end AS endLine, f.key AS file, f.kind
     FROM (SELECT rowid, bm25(name_fts) AS score FROM name_fts WHERE name_fts MATCH ? LIMIT ?) t
     JOIN nodes n ON n.key = t.rowid JOIN files f ON f.key = coalesce(n.owner, n.key) ORDER BY t.score LIMIT ?`,
  );
  interface Row {
    id: string;
    name: string;
    path: string;
    owner: number | null;
    line: number | null;
    endLine: number | null;
    file: number;
    kind: string;
  }
  const toHit = (row: Row, alike: number): NameHit => ({
    file: row.file,
    path: row.path,
    kind: row.kind,
    id: row.id,
    name: row.owner === null ? "" : row.name,
    lines: row.owner === null || row.line === null ? undefined : { from: row.line, to: row.endLine ?? row.line },
    likeness: alike,
  });
  const search = (match: string): Row[] => byText.all(match, NAMES.entries, NAMES.candidates) as unknown as Row[];
  const one = (word: string): NameHit[] => {
    const inside = search(quoted(word)).map((row) => toHit(row, 1));
    if (inside.length > 0) return inside;
    return search(wholeParts(word).map(quoted).join(" OR ")).flatMap((row) => {
      const alike = likeness(word.toLowerCase(), (row.owner === null ? row.name.replace(/\.[^.]+$/u, "") : row.name).toLowerCase());
      return alike >= NAMES.likeness ? [toHit(row, alike)] : [];
    });
  };
  return {
    find(words) {
      const best = new Map<number, NameHit>();
      for (const word of words.filter((text) => text.length >= NAMES.minChars && text.length <= NAMES.maxChars).slice(0, NAMES.words))
        for (const hit of one(word)) if (hit.likeness > (best.get(hit.file)?.likeness ?? 0)) best.set(hit.file, hit);
      return [...best.values()].sort((a, b) => b.likeness - a.likeness || a.name.length - b.name.length || (a.path < b.path ? -1 : 1));
    },
  };
}
