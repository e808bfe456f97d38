/**
 * Which tokens of a base stand in a changed text: lines first, then the tokens of changed lines, then
 * what moved. It knows nothing of syntax, and nothing of what a merge thinks the change was.
 */
import { must } from "../../kernel/index.ts";
import { opensImport, type Tokens } from "./tokens.ts";

/** What is kept or replaced as one: each token, or a line that imports too. */
export type Reading = "tokens" | "imports";

export interface Matching {
  /** For each base token its place in the changed text; -1: gone. */
  of: Int32Array;
  /** For each changed token its place in the base; -1: new. */
  from: Int32Array;
  /** Base tokens that changed their place. */
  moved: Uint8Array;
}

/** Above this many comparisons two unlike stretches are taken for replaced. */
const MAX_CELLS = 250_000;

type Pair = (i: number, j: number) => void;

/** A longest common subsequence of two stretches, by anchors that occur once and a table between them. */
function pairEqual(a: readonly number[], b: readonly number[], from: [number, number], to: [number, number], pair: Pair): void {
  let [i, j] = from;
  let [n, m] = to;
  while (i < n && j < m && a[i] === b[j]) pair(i++, j++);
  while (i < n && j < m && a[n - 1] === b[m - 1]) pair(--n, --m);
  if (i >= n || j >= m) return;
  const anchors = uniqueAnchors(a, b, [i, j], [n, m]);
  if (anchors.length > 0) {
    let at: [number, number] = [i, j];
    for (const [x, y] of anchors) {
      pairEqual(a, b, at, [x, y], pair);
      pair(x, y);
      at = [x + 1, y + 1];
    }
    pairEqual(a, b, at, [n, m], pair);
    return;
  }
  const width = m - j + 1;
  if ((n - i) * (m - j) > MAX_CELLS) return;
  const table = new Uint16Array((n - i + 1) * width);
  for (let x = n - 1; x >= i; x -= 1)
    for (let y = m - 1; y >= j; y -= 1) {
      const at = (x - i) * width + (y - j);
      table[at] = a[x] === b[y] ? must(table[at + width + 1]) + 1 : Math.max(must(table[at + width]), must(table[at + 1]));
    }
  const [top, low] = [i, j];
  while (i < n && j < m) {
    const at = (i - top) * width + (j - low);
    if (a[i] === b[j]) pair(i++, j++);
    else if (must(table[at + width]) >= must(table[at + 1])) i += 1;
    else j += 1;
  }
}

/** What occurs once on both sides, as many as stand in one order. */
function uniqueAnchors(a: readonly number[], b: readonly number[], from: [number, number], to: [number, number]): [number, number][] {
  const seen = new Map<number, { i: number; j: number }>();
  for (let i = from[0]; i < to[0]; i += 1) {
    const value = must(a[i]);
    seen.set(value, { i: seen.has(value) ? -1 : i, j: -1 });
  }
  for (let j = from[1]; j < to[1]; j += 1) {
    const entry = seen.get(must(b[j]));
    if (entry !== undefined) entry.j = entry.j === -1 ? j : -2;
  }
  const pairs = [...seen.values()].filter(({ i, j }) => i >= 0 && j >= 0);
  const tails: number[] = [];
  const before: number[] = [];
  for (const [k, { j }] of pairs.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (must(pairs[must(tails[middle])]).j < j) low = middle + 1;
      else high = middle;
    }
    before[k] = low === 0 ? -1 : must(tails[low - 1]);
    tails[low] = k;
  }
  const chain: [number, number][] = [];
  for (let k = tails.at(-1) ?? -1; k >= 0; k = must(before[k])) {
    const { i, j } = must(pairs[k]);
    chain.push([i, j]);
  }
  return chain.toReversed();
}

interface Lines {
  /** What each line says, as a number. */
  ids: number[];
  /** Its first token; one more at the end. */
  starts: number[];
}

function linesOf(tokens: Tokens, ids: readonly number[], names: Map<string, number>): Lines {
  const lines: Lines = { ids: [], starts: [] };
  for (let i = 0; i < ids.length;) {
    let end = i + 1;
    while (end < ids.length && tokens.line[end] === tokens.line[i]) end += 1;
    const key = ids.slice(i, end).join();
    let id = names.get(key);
    if (id === undefined) names.set(key, (id = names.size));
    lines.ids.push(id);
    lines.starts.push(i);
    i = end;
  }
  lines.starts.push(ids.length);
  return lines;
}

/** Pairs what is left over and occurs only once in each text, and what stands beside such a pair. */
function pairMoved(a: readonly number[], b: readonly number[], of: Int32Array, from: Int32Array, pair: Pair): void {
  const seen = new Map<number, { i: number; j: number }>();
  for (const [i, value] of a.entries()) seen.set(value, { i: seen.has(value) ? -1 : i, j: -1 });
  for (const [j, value] of b.entries()) {
    const entry = seen.get(value);
    if (entry !== undefined) entry.j = entry.j === -1 ? j : -2;
  }
  for (const { i, j } of seen.values()) {
    if (i < 0 || j < 0 || of[i] !== -1 || from[j] !== -1) continue;
    for (let k = 0; of[i + k] === -1 && from[j + k] === -1 && a[i + k] === b[j + k] && i + k < a.length && j + k < b.length; k += 1)
      pair(i + k, j + k);
    for (let k = 1; i - k >= 0 && j - k >= 0 && of[i - k] === -1 && from[j - k] === -1 && a[i - k] === b[j - k]; k += 1) pair(i - k, j - k);
  }
}

export function matchTokens(
  base: Tokens,
  side: Tokens,
  ids: { base: readonly number[]; side: readonly number[] },
  reading: Reading,
): Matching {
  const match: Matching = {
    of: new Int32Array(base.text.length).fill(-1),
    from: new Int32Array(side.text.length).fill(-1),
    moved: new Uint8Array(base.text.length),
  };
  const join: Pair = (i, j) => {
    match.of[i] = j;
    match.from[j] = i;
  };
  const names = new Map<string, number>();
  const left = linesOf(base, ids.base, names);
  const right = linesOf(side, ids.side, names);
  const lineOf = new Int32Array(left.ids.length).fill(-1);
  const lineFrom = new Int32Array(right.ids.length).fill(-1);
  const joinLines =
    (moved: boolean): Pair =>
    (i, j) => {
      lineOf[i] = j;
      lineFrom[j] = i;
      const start = must(left.starts[i]);
      const there = must(right.starts[j]);
      for (let k = 0; k < must(left.starts[i + 1]) - start; k += 1) {
        join(start + k, there + k);
        if (moved) match.moved[start + k] = 1;
      }
    };
  pairEqual(left.ids, right.ids, [0, 0], [left.ids.length, right.ids.length], joinLines(false));
  const inOrder = lineOf.slice();
  pairMoved(left.ids, right.ids, lineOf, lineFrom, joinLines(true));
  const open = (tokens: Tokens, lines: Lines, of: Int32Array, whole: Uint8Array): void => {
    if (reading !== "imports") return;
    for (const [line, there] of of.entries())
      if (there === -1 && opensImport(tokens, must(lines.starts[line]))) whole.fill(1, lines.starts[line], lines.starts[line + 1]);
  };
  const whole = { base: new Uint8Array(base.text.length), side: new Uint8Array(side.text.length) };
  open(base, left, lineOf, whole.base);
  open(side, right, lineFrom, whole.side);
  let i = 0;
  let j = 0;
  for (let line = 0; line <= left.ids.length; line += 1) {
    const there = line === left.ids.length ? right.ids.length : must(inOrder[line]);
    if (there === -1) continue;
    pairWithin(
      ids,
      match,
      whole,
      [must(left.starts[i]), must(right.starts[j])],
      [must(left.starts[line]), must(right.starts[there])],
      join,
    );
    i = line + 1;
    j = there + 1;
  }
  pairMoved(ids.base, ids.side, match.of, match.from, (x, y) => {
    if (whole.base[x] === 1 || whole.side[y] === 1) return;
    join(x, y);
    match.moved[x] = 1;
  });
  slide(match.from, match.of, ids.side, side);
  slide(match.of, match.from, ids.base, base);
  return match;
}

const CLOSES = /^[)\]};,]$/u;

/** A stretch that begins with the end of what stands before it is read from its own beginning to its own end. */
function slide(of: Int32Array, back: Int32Array, ids: readonly number[], { text, line }: Tokens): void {
  for (let start = 0; start < of.length; start += 1) {
    if (of[start] !== -1 || (start > 0 && of[start - 1] === -1)) continue;
    let end = start;
    while (end < of.length && of[end] === -1) end += 1;
    let first = start;
    while (end < of.length && CLOSES.test(must(text[first])) && ids[first] === ids[end] && of[end] !== -1) {
      const there = must(of[end]);
      of[first] = there;
      back[there] = first;
      of[end] = -1;
      first += 1;
      end += 1;
    }
    // The end of the first line belongs to it, not to the last one of what was added behind it.
    let last = first;
    while (last + 1 < end && line[last + 1] === line[first]) last += 1;
    if (first > 0 && line[first - 1] === line[first] && last + 1 < end) {
      let n = 3;
      const same = (k: number): boolean => ids[last + 1 - n + k] === ids[end + k] && of[end + k] !== undefined && of[end + k] !== -1;
      while (
        n > 0 &&
        (last + 1 - n < first || !Array.from({ length: n }, (_, k) => k).every((k) => same(k) && CLOSES.test(must(text[end + k]))))
      )
        n -= 1;
      for (let k = 0; k < n; k += 1) {
        const there = must(of[end + k]);
        of[last + 1 - n + k] = there;
        back[there] = last + 1 - n + k;
        of[end + k] = -1;
      }
      end += n;
    }
    start = end;
  }
}

/** The tokens of a changed stretch that are neither kept with their line nor moved with it. */
function pairWithin(
  ids: { base: readonly number[]; side: readonly number[] },
  match: Matching,
  whole: { base: Uint8Array; side: Uint8Array },
  from: [number, number],
  to: [number, number],
  join: Pair,
): void {
  const free = (of: Int32Array, taken: Uint8Array, start: number, end: number): number[] => {
    const out: number[] = [];
    for (let i = start; i < end; i += 1) if (of[i] === -1 && taken[i] === 0) out.push(i);
    return out;
  };
  const left = free(match.of, whole.base, from[0], to[0]);
  const right = free(match.from, whole.side, from[1], to[1]);
  if (left.length === 0 || right.length === 0) return;
  pairEqual(
    left.map((i) => must(ids.base[i])),
    right.map((j) => must(ids.side[j])),
    [0, 0],
    [left.length, right.length],
    (x, y) => join(must(left[x]), must(right[y])),
  );
}
