/**
 * Pairs of decisions that say the same, or the opposite (HYG-002). Two entries are compared when their
 * titles are equal or when the shorter one's rarest words occur in the other, which every pair above the
 * threshold does; the number of comparisons is bounded, and reaching the bound is told.
 */
import { yieldToLoop, must } from "../../kernel/index.ts";
import type { LoggedDecision } from "../sidecar/decision-log.ts";

export interface EntryPair {
  older: LoggedDecision;
  newer: LoggedDecision;
  sameTitle: boolean;
  /** Share of the shorter one's words that the other has too. */
  overlap: number;
}

export interface Duplicates {
  /** At most one for each entry. */
  pairs: EntryPair[];
  complete: boolean;
}

export const OVERLAP = 0.7;
const MAX_COMPARISONS = 1_000_000;
const ENTRIES_A_TURN = 200;

const wordsOf = (entry: LoggedDecision): string[] => [
  ...new Set(`${entry.title} ${entry.body.replace(/^Evidence: .*$/m, "")}`.toLowerCase().match(/[\p{L}\d]{3,}|\d+/gu) ?? []),
];

const sharesArtifact = (a: LoggedDecision, b: LoggedDecision): boolean =>
  a.related.length === 0 || b.related.length === 0
    ? a.related.length === b.related.length
    : a.related.some((one) => b.related.includes(one));

/** Word for word the same is the same, whatever it was filed under. */
const saysTheSame = (a: LoggedDecision, b: LoggedDecision): boolean =>
  a.title.toLowerCase() === b.title.toLowerCase() && a.body.trim() === b.body.trim();

function put(index: Map<string, number[]>, key: string, at: number): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [at]);
  else list.push(at);
}

/** Place of the first number above `limit` in an ascending list. */
function firstAbove(list: readonly number[], limit: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (must(list[middle]) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export async function findDuplicates(entries: readonly LoggedDecision[], signal: AbortSignal): Promise<Duplicates> {
  const words = entries.map(wordsOf);
  const sets = words.map((list) => new Set(list));
  const frequency = new Map<string, number>();
  for (const list of words) for (const word of list) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const byTitle = new Map<string, number[]>();
  const byWord = new Map<string, number[]>();
  const byRare = new Map<string, number[]>();
  // More than 70 % shared means that one of these must be shared.
  const rare = words.map((list) =>
    list.toSorted((a, b) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0)).slice(0, list.length - Math.floor(list.length * OVERLAP)),
  );
  for (const [at, entry] of entries.entries()) {
    put(byTitle, entry.title.toLowerCase(), at);
    for (const word of words[at] ?? []) put(byWord, word, at);
    for (const word of rare[at] ?? []) put(byRare, word, at);
  }
  const found: Duplicates = { pairs: [], complete: true };
  let comparisons = 0;
  const compare = (i: number, j: number): EntryPair | undefined => {
    const [a, b] = [must(entries[i]), must(entries[j])];
    if (!sharesArtifact(a, b) && !saysTheSame(a, b)) return undefined;
    const [one, two] = [must(sets[i]), must(sets[j])];
    const [small, large] = one.size <= two.size ? [one, two] : [two, one];
    let shared = 0;
    for (const word of small) if (large.has(word)) shared += 1;
    const overlap = shared / Math.max(1, small.size);
    const sameTitle = a.title.toLowerCase() === b.title.toLowerCase();
    if (!sameTitle && overlap <= OVERLAP) return undefined;
    return a.date <= b.date ? { older: a, newer: b, sameTitle, overlap } : { older: b, newer: a, sameTitle, overlap };
  };
  const firstPair = (i: number): EntryPair | undefined => {
    const tried = new Set<number>();
    const lists = [
      byTitle.get(must(entries[i]).title.toLowerCase()),
      ...(rare[i] ?? []).map((word) => byWord.get(word)),
      ...(words[i] ?? []).map((word) => byRare.get(word)),
    ];
    for (const list of lists) {
      for (let k = list === undefined ? 0 : firstAbove(list, i); list !== undefined && k < list.length; k += 1) {
        const j = must(list[k]);
        if (tried.has(j)) continue;
        if (comparisons >= MAX_COMPARISONS) {
          found.complete = false;
          return undefined;
        }
        tried.add(j);
        comparisons += 1;
        const pair = compare(i, j);
        if (pair !== undefined) return pair;
      }
    }
    return undefined;
  };
  for (let i = 0; i < entries.length && found.complete; i += 1) {
    if (i % ENTRIES_A_TURN === 0) {
      await yieldToLoop();
      signal.throwIfAborted();
    }
    const pair = firstPair(i);
    if (pair !== undefined) found.pairs.push(pair);
  }
  return found;
}
