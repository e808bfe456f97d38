/**
 * Pairs of equal items in two lists, in order, as many as possible (Myers, in linear room). Of long lists that have
 * next to nothing in common, what stands exactly once on both sides is paired instead.
 */
import { must } from "../../kernel/index.ts";

/** Above this many differences the exact answer costs more than it is worth. */
const MAX_EDITS = 600;

type Pair = [number, number];
interface Part {
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

export function equalPairs(a: readonly string[], b: readonly string[]): Pair[] {
  const ids = new Map<string, number>();
  const number = (list: readonly string[]): Int32Array =>
    Int32Array.from(list, (item) => {
      const known = ids.get(item) ?? ids.size;
      ids.set(item, known);
      return known;
    });
  const pairs: Pair[] = [];
  pairUp(number(a), number(b), { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }, pairs);
  return pairs;
}

function pairUp(a: Int32Array, b: Int32Array, part: Part, pairs: Pair[]): void {
  let { aFrom, aTo, bFrom, bTo } = part;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) pairs.push([aFrom++, bFrom++]);
  let tail = 0;
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo -= 1;
    bTo -= 1;
    tail += 1;
  }
  if (aFrom < aTo && bFrom < bTo) {
    const inner = { aFrom, aTo, bFrom, bTo };
    let from = { a: aFrom, b: bFrom };
    for (const cut of middleOf(a, b, inner) ?? onceOnBoth(a, b, inner)) {
      pairUp(a, b, { aFrom: from.a, aTo: cut.a, bFrom: from.b, bTo: cut.b }, pairs);
      for (let i = 0; i < cut.length; i += 1) pairs.push([cut.a + i, cut.b + i]);
      from = { a: cut.a + cut.length, b: cut.b + cut.length };
    }
    if (from.a > aFrom || from.b > bFrom) pairUp(a, b, { aFrom: from.a, aTo, bFrom: from.b, bTo }, pairs);
  }
  for (let i = 0; i < tail; i += 1) pairs.push([aTo + i, bTo + i]);
}

/** Equal items in a row, at which the two lists are divided. */
interface Cut {
  a: number;
  b: number;
  length: number;
}

/** The stretch in the middle of a smallest edit script; undefined when there are too many differences. */
function middleOf(a: Int32Array, b: Int32Array, { aFrom, aTo, bFrom, bTo }: Part): Cut[] | undefined {
  const n = aTo - aFrom;
  const m = bTo - bFrom;
  const delta = n - m;
  const odd = delta % 2 !== 0;
  const most = Math.min(Math.ceil((n + m) / 2), MAX_EDITS);
  const zero = most + 1;
  const forward = new Int32Array(2 * most + 3);
  const backward = new Int32Array(2 * most + 3);
  const reach = (far: Int32Array, k: number, d: number): number => {
    const below = must(far[zero + k - 1]);
    const above = must(far[zero + k + 1]);
    return k === -d || (k !== d && below < above) ? above : below + 1;
  };
  for (let d = 0; d <= most; d += 1) {
    for (let k = -d; k <= d; k += 2) {
      const start = reach(forward, k, d);
      let x = start;
      while (x < n && x - k < m && a[aFrom + x] === b[bFrom + x - k]) x += 1;
      forward[zero + k] = x;
      if (odd && Math.abs(delta - k) < d && x + must(backward[zero + delta - k]) >= n)
        return [{ a: aFrom + start, b: bFrom + start - k, length: x - start }];
    }
    for (let k = -d; k <= d; k += 2) {
      const start = reach(backward, k, d);
      let x = start;
      while (x < n && x - k < m && a[aTo - 1 - x] === b[bTo - 1 - x + k]) x += 1;
      backward[zero + k] = x;
      if (!odd && Math.abs(delta - k) <= d && x + must(forward[zero + delta - k]) >= n)
        return [{ a: aTo - x, b: bTo - x + k, length: x - start }];
    }
  }
  return undefined;
}

/** Items that stand once in either list, as many as keep their order. */
function onceOnBoth(a: Int32Array, b: Int32Array, { aFrom, aTo, bFrom, bTo }: Part): Cut[] {
  const places = (list: Int32Array, from: number, to: number): Map<number, number | undefined> => {
    const found = new Map<number, number | undefined>();
    for (let i = from; i < to; i += 1) found.set(must(list[i]), found.has(must(list[i])) ? undefined : i);
    return found;
  };
  const inB = places(b, bFrom, bTo);
  const both = [...places(a, aFrom, aTo)].flatMap(([item, at]) => {
    const other = inB.get(item);
    return at === undefined || other === undefined ? [] : [{ a: at, b: other }];
  });
  both.sort((one, other) => one.a - other.a);
  // The longest rising row of places in b.
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [i, { b: place }] of both.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (must(both[must(ends[middle])]).b < place) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? undefined : ends[low - 1]);
    ends[low] = i;
  }
  const cuts: Cut[] = [];
  for (let i = ends.at(-1); i !== undefined; i = before[i]) cuts.push({ ...must(both[i]), length: 1 });
  return cuts.reverse();
}
