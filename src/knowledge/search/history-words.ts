/** Which entries have which words of a question: its own, or related ones. */
import { STOP_WORDS } from "../text/stop-words.ts";
import type { HistoryReader } from "./history-reader.ts";

type Weighted = ReadonlyMap<string, number>;

export interface TermMatches {
  /** How many words that are looked for occur anywhere. */
  known: number;
  /** By entry: the words it contains; how often it does says next to nothing in something said once. */
  scores: Map<number, number>;
  /** How much of the question these entries say together, from 0 to 1. */
  covered(keys: readonly number[]): number;
}

const BOUNDS = {
  /** Entries of one word, and of all words together, rare ones first. */
  perTerm: 6_000,
  entries: 24_000,
  /** Words of a question that coverage looks at: one bit each. */
  covering: 31,
};
/** What a related word counts, in an entry and for coverage; and a word that nobody said. */
const RELATED = { words: 0.4, covered: 0.5, unsaid: 3 };

function idfOf(reader: HistoryReader, term: string): number {
  const n = reader.entriesWith(term);
  return n === 0 ? 0 : Math.log(1 + (reader.count() - n + 0.5) / (n + 0.5));
}

/** Rare words first, as far as the allowance of entries goes. */
function addMatches(
  scores: Map<number, number>,
  reader: HistoryReader,
  terms: Weighted,
  note: (term: string, keys: readonly number[]) => void,
): void {
  const telling = [...terms].map(([term, weight]) => ({ term, worth: weight * idfOf(reader, term) })).sort((a, b) => b.worth - a.worth);
  let left = BOUNDS.entries;
  for (const { term, worth } of telling) {
    const keys = reader.keysWith(term, Math.min(left, BOUNDS.perTerm));
    for (const key of keys) scores.set(key, (scores.get(key) ?? 0) + worth);
    note(term, keys);
    left -= keys.length;
    if (left <= 0) break;
  }
}

export function matchTerms(reader: HistoryReader, own: readonly string[], relatedWords: (term: string) => Iterable<string>): TermMatches {
  const terms = new Map(own.map((term) => [term, 1]));
  const worthOf = new Map(own.map((term) => [term, reader.entriesWith(term) === 0 ? RELATED.unsaid : idfOf(reader, term)]));
  const covering = [...own].sort((a, b) => (worthOf.get(b) ?? 0) - (worthOf.get(a) ?? 0)).slice(0, BOUNDS.covering);
  const standsFor = new Map<string, number>();
  for (const term of own)
    for (const other of relatedWords(term)) {
      if (STOP_WORDS.has(other) || worthOf.has(other)) continue;
      terms.set(other, RELATED.words);
      standsFor.set(other, (standsFor.get(other) ?? 0) | bit(covering.indexOf(term)));
    }
  for (const term of terms.keys()) if (reader.entriesWith(term) === 0) terms.delete(term);
  const scores = new Map<number, number>();
  const [said, meant] = [new Map<number, number>(), new Map<number, number>()];
  addMatches(scores, reader, terms, (term, keys) => {
    const [bits, found] = worthOf.has(term) ? [bit(covering.indexOf(term)), said] : [standsFor.get(term) ?? 0, meant];
    for (const key of keys) found.set(key, (found.get(key) ?? 0) | bits);
  });
  const all = covering.reduce((sum, term) => sum + (worthOf.get(term) ?? 0), 0);
  return {
    known: terms.size,
    scores,
    covered(keys) {
      let [direct, related] = [0, 0];
      for (const key of keys) {
        direct |= said.get(key) ?? 0;
        related |= meant.get(key) ?? 0;
      }
      let sum = 0;
      for (const [i, term] of covering.entries()) {
        const worth = worthOf.get(term) ?? 0;
        if ((direct & bit(i)) !== 0) sum += worth;
        else if ((related & bit(i)) !== 0) sum += RELATED.covered * worth;
      }
      return all === 0 ? 0 : sum / all;
    },
  };
}

function bit(place: number): number {
  return place < 0 ? 0 : 1 << place;
}
