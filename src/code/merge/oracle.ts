/**
 * Judges a merge by its four texts alone, whoever made it: every token one side added or changed is in
 * the result, every one it removed is not, both orders are kept, and no note, attribute or change
 * loses what it stood on. It shares no data with the merge, so a mistake there is a conflict here.
 */
import { must } from "../../kernel/index.ts";
import { matchTokens, type Matching, type Reading } from "./match-tokens.ts";
import { isComment, isSeparator, opensAttribute, opensImport, tokensOf, type MergeTexts, type Tokens } from "./tokens.ts";

export type Fault = "lost" | "doubled" | "reordered" | "changed_and_deleted" | "both_changed" | "glued";

interface Side {
  tokens: Tokens;
  ids: number[];
  match: Matching;
}

/** A stretch of one side that the base does not have. */
interface Run {
  start: number;
  end: number;
  /** Base tokens beside it; -1 or the length of the base at the ends. */
  left: number;
  right: number;
}

interface Case {
  file: string;
  base: { tokens: Tokens; ids: number[] };
  ours: Side;
  theirs: Side;
  result: { tokens: Tokens; ids: number[] };
  skip: (id: number) => boolean;
}

function runsOf({ match, ids }: Side, baseLength: number): Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < ids.length; i += 1) {
    if (match.from[i] !== -1) continue;
    const start = i;
    while (i + 1 < ids.length && match.from[i + 1] === -1) i += 1;
    const end = i + 1;
    runs.push({
      start,
      end,
      left: start === 0 ? -1 : must(match.from[start - 1]),
      right: end === ids.length ? baseLength : must(match.from[end]),
    });
  }
  return runs;
}

const idsOf = (side: Side, run: Run): number[] => side.ids.slice(run.start, run.end);
const sameIds = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((id, i) => id === b[i]);

/** The run is nothing but import lines: a set, of which one may go and another come. */
function onlyImports(side: Side, run: Run): boolean {
  for (let i = run.start; i < run.end; i += 1) {
    const { line } = side.tokens;
    if ((i === 0 || line[i] !== line[i - 1]) && !opensImport(side.tokens, i)) return false;
  }
  return run.start === 0 || side.tokens.line[run.start] !== side.tokens.line[run.start - 1];
}

/** The run says something about the token after it. */
function leansRight(file: string, side: Side, run: Run): boolean {
  const { text, line } = side.tokens;
  const last = run.end - 1;
  if (isComment(file, must(text[last]))) return last === 0 || line[last - 1] !== line[last];
  if (run.end < text.length && line[run.end] === line[last]) return !isSeparator(file, must(text[last]));
  let first = last;
  while (first > run.start && line[first - 1] === line[last]) first -= 1;
  const mark = text[first]?.startsWith("⇥") === true ? first + 1 : first;
  return opensAttribute(file, text[mark] ?? "") && text[mark + 1] !== "!";
}

function leansLeft(file: string, side: Side, run: Run): boolean {
  const { text, line } = side.tokens;
  if (run.start === 0 || line[run.start - 1] !== line[run.start]) return false;
  if (isComment(file, must(text[run.start]))) return true;
  return !isSeparator(file, must(text[run.start])) && !isSeparator(file, must(text[run.start - 1]));
}

/** Base tokens between the neighbours of a run: what it replaced. */
function replaced(run: Run, side: Side): number[] {
  const out: number[] = [];
  for (let i = run.left + 1; i < run.right; i += 1) if (side.match.of[i] === -1) out.push(i);
  return out;
}

/** What one side added or changed stands on something that the other side removed or changed too. */
function stands(one: Side, other: Side, runs: readonly Run[], otherRuns: readonly Run[], file: string, base: Tokens): Fault | undefined {
  const baseLength = base.text.length;
  const gone = (i: number): boolean => i >= 0 && i < baseLength && other.match.of[i] === -1;
  for (const run of runs) {
    const twin = otherRuns.find((theirs) => theirs.left === run.left && theirs.right === run.right);
    if (twin !== undefined && sameIds(idsOf(one, run), idsOf(other, twin))) continue;
    const old = replaced(run, one);
    const both = old.filter(gone);
    if (both.length > 0 && !onlyImports(one, run)) return twin === undefined ? "changed_and_deleted" : "both_changed";
    if (gone(run.left) && gone(run.right)) return "changed_and_deleted";
    if (gone(run.right) && leansRight(file, one, run)) return "changed_and_deleted";
    if (gone(run.left) && leansLeft(file, one, run)) return "changed_and_deleted";
  }
  return movedAway(one.match, base, other, otherRuns) ? "changed_and_deleted" : undefined;
}

/** An addition between two things of which the other side moved one, or moved something between them: nobody knows its place. */
function unmoored(file: string, one: Side, other: Side, runs: readonly Run[]): boolean {
  const { of, from, moved } = other.match;
  const between = (run: Run): boolean => {
    let [left, right] = [run.left, run.right];
    while (left >= 0 && of[left] === -1) left -= 1;
    while (right < of.length && of[right] === -1) right += 1;
    const end = right < of.length ? must(of[right]) : from.length;
    const start = left < 0 ? 0 : must(of[left]) + 1;
    for (let i = start; i < end; i += 1) if (from[i] !== -1 && moved[must(from[i])] === 1) return true;
    return false;
  };
  return runs.some((run) => {
    const [left, right] = [moved[run.left] === 1, moved[run.right] === 1];
    if (left && right) return must(of[run.right]) < must(of[run.left]);
    const short = one.tokens.line[run.start] === one.tokens.line[run.end - 1];
    const [before, after] = [short && leansLeft(file, one, run), leansRight(file, one, run)];
    if (!left && !right) return !before && !after && between(run);
    return (left && !before) || (right && !after);
  });
}

/** Where each side moved something, in the base: from where it was to where it went. */
function spans({ of, from, moved }: Matching): [number, number][] {
  const out: [number, number][] = [];
  for (let i = 0; i < of.length; i += 1) {
    if (moved[i] !== 1) continue;
    const start = i;
    while (moved[i + 1] === 1 && of[i + 1] === must(of[i]) + 1) i += 1;
    let there = must(of[start]);
    while (there >= 0 && (must(from[there]) === -1 || moved[must(from[there])] === 1)) there -= 1;
    const place = there < 0 ? 0 : must(from[there]);
    out.push([Math.min(start, place), Math.max(i, place)]);
  }
  return out;
}

/** Both sides moved something past the same place, each in its own way. */
function bothMoved(ours: Side, theirs: Side): boolean {
  const [mine, other] = [spans(ours.match), spans(theirs.match)];
  if (mine.length === 0 || other.length === 0 || String(mine) === String(other)) return false;
  return mine.some(([from, to]) => other.some(([start, end]) => from <= end && start <= to));
}

/** A note or an attribute stands where it stood, as far as the other side left that alone. */
function attached(given: Case, one: Side, other: Side, runs: readonly Run[]): boolean {
  const { result, file } = given;
  const keeps = (i: number): boolean => {
    const from = must(one.match.from[i]);
    return from === -1 || other.match.of[from] !== -1;
  };
  const words = (tokens: Tokens, at: number): number[] => {
    const found: number[] = [];
    for (let k = at; k < tokens.text.length && tokens.line[k] === tokens.line[at]; k += 1)
      if (/\w/u.test(must(tokens.text[k]))) found.push(k);
    return found;
  };
  /** The next line that is no note and no attribute is the one it led to: the first word the other side left is on it. */
  const leads = (there: number, next: number): boolean => {
    const { text, line } = result.tokens;
    let at = there;
    for (;;) {
      const mark = text[at]?.startsWith("⇥") === true ? at + 1 : at;
      if (at >= text.length || !(isComment(file, must(text[mark])) || opensAttribute(file, must(text[mark])))) break;
      const on = line[at];
      while (line[at] === on) at += 1;
    }
    const old = words(one.tokens, next);
    const first = old.find(keeps);
    if (first === undefined) return old.length === 0;
    return words(result.tokens, at).some((k) => result.ids[k] === one.ids[first]);
  };
  return runs.every((run) => {
    const { line } = one.tokens;
    const head = must(one.ids[run.start]);
    const last = must(one.ids[run.end - 1]);
    const once = (id: number): number => (result.ids.indexOf(id) === result.ids.lastIndexOf(id) ? result.ids.indexOf(id) : -1);
    if (leansLeft(file, one, run) && isComment(file, must(one.tokens.text[run.start]))) {
      let start = run.start;
      while (start > 0 && line[start - 1] === line[run.start]) start -= 1;
      const old = words(one.tokens, start).filter((k) => k < run.start);
      const left = old.filter(keeps).map((k) => one.ids[k]);
      const there = once(head);
      let from = there;
      while (from > 0 && result.tokens.line[from - 1] === result.tokens.line[there]) from -= 1;
      if (
        (old.length > 0 && left.length === 0) ||
        (there !== -1 && !left.every((id) => result.ids.slice(from, there).includes(id as number)))
      )
        return false;
    }
    const place = leansRight(file, one, run) && line[run.end] !== line[run.end - 1] ? once(last) : -1;
    return place === -1 || run.end === line.length || leads(place + 1, run.end);
  });
}

/** One side moved what the other deleted. Which of two things moved past the other, nobody can tell. */
function movedAway({ of, moved }: Matching, base: Tokens, other: Side, otherRuns: readonly Run[]): boolean {
  const gone = (i: number): boolean => other.match.of[i] === -1;
  const lines = ({ line }: Tokens, from: number, to: number): number => must(line[to]) - must(line[from]) + 1;
  /** A run stands for as many lines as it has; what went beyond them was deleted. */
  const deleted = (i: number): boolean =>
    gone(i) &&
    !otherRuns.some((run) => run.left < i && i < run.right && lines(base, run.left + 1, i) <= lines(other.tokens, run.start, run.end - 1));
  /** No word of its line is left. */
  const lineGone = (i: number): boolean => {
    let [from, to] = [i, i];
    while (from > 0 && base.line[from - 1] === base.line[i]) from -= 1;
    while (to + 1 < of.length && base.line[to + 1] === base.line[i]) to += 1;
    for (let k = from; k <= to; k += 1) if (!gone(k) && /\w/u.test(must(base.text[k]))) return false;
    return true;
  };
  for (let i = 0; i < of.length; i += 1) {
    if (moved[i] !== 1) continue;
    const start = i;
    while (moved[i + 1] === 1 && of[i + 1] === must(of[i]) + 1) i += 1;
    let words = 0;
    for (let k = start; k <= i; k += 1) {
      if (deleted(k)) return true;
      if (!gone(k) && /\w/u.test(must(base.text[k]))) words += 1;
    }
    if (words === 0) return true;
    if (words < i + 1 - start && lineGone(start)) return true;
    const place = must(of[start]);
    for (let k = 0; k < of.length; k += 1) {
      const there = must(of[k]);
      if (there !== -1 && (k < start ? there > place : k > i && there < place) && (deleted(k) || (gone(k) && lineGone(k)))) return true;
    }
  }
  return false;
}

/** Added by both, once is enough: the whole of it, or the beginning and the end around what differs. */
function twins(given: Case, ours: readonly Run[], theirs: readonly Run[]): { allowed: Map<number, number>; elsewhere: Set<Run> } {
  const allowed = new Map<number, number>();
  const elsewhere = new Set<Run>();
  const allow = (ids: readonly number[]): void => {
    for (const id of ids) allowed.set(id, (allowed.get(id) ?? 0) + 1);
  };
  for (const run of ours) {
    const mine = idsOf(given.ours, run);
    for (const twin of theirs) {
      const here = twin.left === run.left || twin.right === run.right;
      const other = idsOf(given.theirs, twin);
      if (sameIds(mine, other)) {
        if (!here && mine.length < 5) continue;
        if (timesIn(given.result.ids, mine) - timesIn(given.base.ids, mine) < 2) allow(mine);
        if (!here) elsewhere.add(run).add(twin);
      } else if (here) {
        let head = 0;
        while (head < mine.length && head < other.length && mine[head] === other[head]) head += 1;
        let tail = 0;
        while (tail < mine.length - head && tail < other.length - head && mine.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
        const frame = { head: mine.slice(0, head), tail: mine.slice(mine.length - tail) };
        const inside = [...mine.slice(head, mine.length - tail), ...other.slice(head, other.length - tail)];
        if (head > 0 && joined(given, frame, inside)) allow([...frame.head, ...frame.tail]);
      } else continue;
      break;
    }
  }
  return { allowed, elsewhere };
}

function timesIn(ids: readonly number[], run: readonly number[]): number {
  let times = 0;
  for (let at = 0; at + run.length <= ids.length; at += 1) if (ids[at] === run[0] && run.every((id, k) => ids[at + k] === id)) times += 1;
  return times;
}

/** The result has the frame of two additions once, and in it what is in either of them: an import of two names. */
function joined({ result, skip }: Case, frame: { head: readonly number[]; tail: readonly number[] }, inside: readonly number[]): boolean {
  const plain = (ids: readonly number[]): number[] => ids.filter((id) => !skip(id));
  const [all, head, tail] = [plain(result.ids), plain(frame.head), plain(frame.tail)];
  const within = plain(inside).toSorted((a, b) => a - b);
  const end = head.length + within.length;
  return all.some(
    (_, at) =>
      sameIds(all.slice(at, at + head.length), head) &&
      sameIds(all.slice(at + end, at + end + tail.length), tail) &&
      sameIds(
        all.slice(at + head.length, at + end).toSorted((a, b) => a - b),
        within,
      ),
  );
}

function counted(given: Case, allowed: ReadonlyMap<number, number>): Fault | undefined {
  const expected = new Map<number, number>();
  const add = (id: number): void => {
    expected.set(id, (expected.get(id) ?? 0) + 1);
  };
  for (const [i, id] of given.base.ids.entries()) if (given.ours.match.of[i] !== -1 && given.theirs.match.of[i] !== -1) add(id);
  for (const side of [given.ours, given.theirs]) for (const [i, id] of side.ids.entries()) if (side.match.from[i] === -1) add(id);
  const found = new Map<number, number>();
  for (const id of given.result.ids) found.set(id, (found.get(id) ?? 0) + 1);
  for (const [id, most] of expected) {
    if (given.skip(id)) continue;
    const [n, due] = [found.get(id) ?? 0, most - (allowed.get(id) ?? 0)];
    if (n !== due) return n < due ? "lost" : "doubled";
  }
  for (const id of found.keys()) if (!expected.has(id) && !given.skip(id)) return "doubled";
  return undefined;
}

/** What one side has, without what the other removed or moved, stands in the result in its order. */
function ordered(given: Case, one: Side, other: Side, elsewhere: ReadonlySet<Run>, runs: readonly Run[]): boolean {
  const movedBeside = (i: number): boolean => {
    const from = one.match.from[i] ?? -1;
    return from !== -1 && other.match.moved[from] === 1;
  };
  const free = new Set<number>();
  for (const run of runs)
    if (elsewhere.has(run) || movedBeside(run.start - 1) || movedBeside(run.end)) for (let i = run.start; i < run.end; i += 1) free.add(i);
  let at = 0;
  for (const [i, id] of one.ids.entries()) {
    const from = must(one.match.from[i]);
    if (given.skip(id) || free.has(i) || (from !== -1 && (other.match.of[from] === -1 || other.match.moved[from] === 1))) continue;
    while (at < given.result.ids.length && given.result.ids[at] !== id) at += 1;
    if (at === given.result.ids.length) return false;
    at += 1;
  }
  return true;
}

/** What one side put before or behind something stands there still when the other side replaced that. */
function beside(given: Case, ours: readonly Run[], theirs: readonly Run[]): boolean {
  const places = new Map<number, number>();
  for (const [i, id] of given.result.ids.entries()) places.set(id, places.has(id) ? -1 : i);
  const placeOf = (side: Side, run: Run): number =>
    idsOf(side, run)
      .map((id) => places.get(id) ?? -1)
      .find((place) => place >= 0) ?? -1;
  const holds = (one: Side, run: Run, other: Side, there: Run): boolean => {
    if (there.right - there.left < 2 || run.right - run.left > 1) return true;
    const before = run.left === there.left && run.right < there.right;
    if (!before && !(run.right === there.right && run.left > there.left)) return true;
    // Of several lines, nobody knows which one is in the place of the old.
    if (other.tokens.line[there.start] !== other.tokens.line[there.end - 1]) return false;
    const [mine, its] = [placeOf(one, run), placeOf(other, there)];
    return mine === -1 || its === -1 || mine < its === before;
  };
  return ours.every((run) =>
    theirs.every((there) => holds(given.ours, run, given.theirs, there) && holds(given.theirs, there, given.ours, run)),
  );
}

/** A token that opens its line wherever it stands does so in the result. */
function glued(given: Case): boolean {
  const inline = new Set<number>();
  const opens = ({ line }: Tokens, i: number): boolean => i === 0 || line[i] !== line[i - 1];
  for (const { tokens, ids } of [given.base, given.ours, given.theirs])
    for (const [i, id] of ids.entries()) if (!opens(tokens, i)) inline.add(id);
  return given.result.ids.some((id, i) => !inline.has(id) && !given.skip(id) && !opens(given.result.tokens, i));
}

function judge(given: Case): Fault | undefined {
  const { ours, theirs, file } = given;
  const length = given.base.ids.length;
  const mine = runsOf(ours, length);
  const other = runsOf(theirs, length);
  const { allowed, elsewhere } = twins(given, mine, other);
  return (
    stands(ours, theirs, mine, other, file, given.base.tokens) ??
    stands(theirs, ours, other, mine, file, given.base.tokens) ??
    counted(given, allowed) ??
    (unmoored(file, ours, theirs, mine) || unmoored(file, theirs, ours, other) || bothMoved(ours, theirs) ? "reordered" : undefined) ??
    (attached(given, ours, theirs, mine) && attached(given, theirs, ours, other) ? undefined : "reordered") ??
    (ordered(given, ours, theirs, elsewhere, mine) && ordered(given, theirs, ours, elsewhere, other) && beside(given, mine, other)
      ? undefined
      : "reordered")
  );
}

/** Undefined: nothing is wrong with the merge. An import may also be read as a whole line, one for another. */
export function faultOf(texts: MergeTexts, result: string): Fault | undefined {
  const names = new Map<string, number>();
  const separators = new Set<number>();
  const known = (text: string): { tokens: Tokens; ids: number[] } => {
    const tokens = tokensOf(texts.path, text);
    const ids = tokens.text.map((word) => {
      let id = names.get(word);
      if (id === undefined) {
        names.set(word, (id = names.size));
        if (isSeparator(texts.path, word)) separators.add(id);
      }
      return id;
    });
    return { tokens, ids };
  };
  const [base, ours, theirs, merged] = [texts.base, texts.ours, texts.theirs, result].map(known) as [
    Case["base"],
    Case["base"],
    Case["base"],
    Case["base"],
  ];
  const read = (reading: Reading): Case => {
    const side = (version: Case["base"]): Side => ({
      ...version,
      match: matchTokens(base.tokens, version.tokens, { base: base.ids, side: version.ids }, reading),
    });
    return { file: texts.path, base, ours: side(ours), theirs: side(theirs), result: merged, skip: (id) => separators.has(id) };
  };
  const closely = read("tokens");
  if (glued(closely)) return "glued";
  const fault = judge(closely);
  return fault === undefined || judge(read("imports")) === undefined ? undefined : fault;
}
