/** Pairs the items of a base list with those of a changed one: by name, by order, then by likeness. */
import { must } from "../../kernel/index.ts";
import { equalPairs } from "../lines/index.ts";
import { bodyOf, type Item } from "./structure.ts";

/** `of[i]` is the place in the changed list of base item `i`, or undefined when it is gone. */
export interface Alignment {
  of: (number | undefined)[];
  /** For each changed item its base item; undefined: it is new. */
  from: (number | undefined)[];
}

/** Above this many comparisons a list is left alone. */
const MAX_CELLS = 4_000_000;
/** An item that lost its name must be nearly the same to be taken for a renamed one. */
const MIN_LIKENESS = { unnamed: 0.5, named: 0.75 };

const STATEMENT = /statement|declaration|_item$|paragraph/u;

function words(text: string, wordsOnly: boolean): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(wordsOnly ? /\w+/gu : /\w+|[^\s\w]/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** What has a name or is one statement is compared by its words alone: all of a kind have the same marks. */
function likeness(a: string, b: string, wordsOnly: boolean): number {
  const left = words(a, wordsOnly);
  const right = words(b, wordsOnly);
  let shared = 0;
  let total = 0;
  for (const n of left.values()) total += n;
  for (const [word, n] of right) {
    total += n;
    shared += Math.min(n, left.get(word) ?? 0);
  }
  return total === 0 ? 1 : (2 * shared) / total;
}

export function align(base: readonly Item[], side: readonly Item[]): Alignment | undefined {
  if (base.length * side.length > MAX_CELLS) return undefined;
  const of: (number | undefined)[] = base.map(() => undefined);
  const from: (number | undefined)[] = side.map(() => undefined);
  const join = (i: number, j: number): void => {
    of[i] = j;
    from[j] = i;
  };
  for (const [i, j] of equalPairs(
    base.map((item) => item.key),
    side.map((item) => item.key),
  ))
    join(i, j);
  // Named items that moved keep their identity.
  const free = new Map(side.map((item, j) => [item.key, j] as const).filter(([, j]) => from[j] === undefined));
  for (const [i, item] of base.entries()) {
    const j = item.named && of[i] === undefined ? free.get(item.key) : undefined;
    if (j !== undefined && side[j]?.named === true) join(i, j);
  }
  pairChanged(base, side, of, from, join);
  return { of, from };
}

/** Between two pairs, what vanished and what appeared may be the same thing, changed. */
function pairChanged(
  base: readonly Item[],
  side: readonly Item[],
  of: (number | undefined)[],
  from: (number | undefined)[],
  join: (i: number, j: number) => void,
): void {
  let low = 0;
  for (let i = 0; i < base.length; i += 1) {
    const known = of[i];
    if (known !== undefined) {
      low = Math.max(low, known + 1);
      continue;
    }
    let high = side.length;
    for (let k = i + 1; k < base.length; k += 1) {
      const next = of[k];
      if (next !== undefined && next >= low) {
        high = next;
        break;
      }
    }
    const item = must(base[i]);
    // A short named thing, such as a key and its value, has nothing but its name; so has a plain import.
    if ((item.named || item.independent) && item.parts.length === 1) continue;
    let best: number | undefined;
    let bestScore = item.named ? MIN_LIKENESS.named : MIN_LIKENESS.unnamed;
    for (let j = low; j < high; j += 1) {
      const candidate = must(side[j]);
      if (from[j] !== undefined || candidate.kind !== item.kind) continue;
      const score = likeness(bodyOf(item), bodyOf(candidate), item.named || (item.parts.length === 1 && STATEMENT.test(item.kind)));
      if (score > bestScore) {
        best = j;
        bestScore = score;
      }
    }
    if (best === undefined) continue;
    join(i, best);
    low = best + 1;
  }
}

/** True when the pairs stand in the same order on both sides. */
export function keepsOrder(of: readonly (number | undefined)[]): boolean {
  const places = of.filter((j) => j !== undefined);
  return places.every((place, i) => i === 0 || must(places[i - 1]) < place);
}
