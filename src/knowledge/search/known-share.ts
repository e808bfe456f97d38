/**
 * How much of a question the index knows at all: the share of its words, rare ones counting more, that
 * occur anywhere. It turns an order into a score that means something across questions and domains: a
 * question whose words are all unknown is known to zero, and so is every answer to it.
 */
import type { DatabaseSync } from "node:sqlite";
import { vocabularyOf } from "./vocabulary.ts";

const TABLES = {
  code: ["chunks", "files", "commits"],
  history: ["entries", "commits"],
  entries: ["entries"],
  commits: ["commits"],
} as const;

/** A word known only by a relative counts so much. */
const RELATED_SHARE = 0.7;

export interface KnownShare {
  /** 0 to 1; 0 for no words. `relatives` are words that stand for another one. */
  of(terms: readonly string[], relatives?: (term: string) => readonly string[]): number;
  knows(term: string): boolean;
}

export function createKnownShare(db: DatabaseSync, domain: keyof typeof TABLES): KnownShare {
  const words = vocabularyOf(db);
  const frequency = (term: string): number => Math.max(...TABLES[domain].map((table) => words.entriesWith(table, term)));
  return {
    knows: (term) => frequency(term) > 0,
    of(terms, relatives = () => []) {
      words.refresh();
      const counted = domain === "code" ? (["chunks"] as const) : TABLES[domain];
      const all = Math.max(
        1,
        counted.map((table) => words.entries(table)).reduce((sum, n) => sum + n, 0),
      );
      const weight = (count: number): number => Math.log(1 + (Math.max(all, count) - count + 0.5) / (count + 0.5));
      let known = 0;
      let asked = 0;
      for (const term of new Set(terms)) {
        const count = frequency(term);
        asked += weight(count);
        if (count > 0) known += weight(count);
        else if (relatives(term).some((other) => frequency(other) > 0)) known += weight(count) * RELATED_SHARE;
      }
      return asked === 0 ? 0 : known / asked;
    },
  };
}
