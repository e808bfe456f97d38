/** Decides by marks alone whether a merge that was called clean is right. Knows nothing of merging. */
import type { Edited, Kid, Piece, Program } from "./program.ts";

const MARK = /(?<!\w)m\d+(?!\w)/gu;

interface Place {
  mark: string;
  line: number;
}

export function marksIn(text: string): Place[] {
  return text.split("\n").flatMap((line, i) => [...line.matchAll(MARK)].map(([mark]) => ({ mark, line: i })));
}

type Relation =
  | { kind: "piece"; acts: boolean }
  | { kind: "kid"; owner: string; ordered: boolean }
  | { kind: "value" | "note" | "tail"; owner: string };

function relate(into: Map<string, Relation>, program: Program, language: string): void {
  const around = (one: Piece | Kid): void => {
    into.set(one.value, { kind: "value", owner: one.id });
    if (one.note !== undefined) into.set(one.note, { kind: "note", owner: one.id });
    if (one.tail !== undefined) into.set(one.tail, { kind: "tail", owner: one.id });
  };
  for (const piece of program.pieces) {
    around(piece);
    into.set(piece.id, { kind: "piece", acts: piece.shape === "call" && ["ts", "js", "py", "go", "java"].includes(language) });
    if (piece.attribute !== undefined) into.set(piece.attribute, { kind: "note", owner: piece.id });
    const ordered = piece.shape === "sequence" || (piece.shape === "block" && language !== "jsonc");
    for (const kid of piece.kids) {
      around(kid);
      into.set(kid.id, { kind: "kid", owner: piece.id, ordered });
    }
  }
}

export interface Judged {
  language: string;
  base: Program;
  ours: Edited;
  theirs: Edited;
  texts: { base: string; ours: string; theirs: string };
}

/** Undefined: nothing is wrong with it. */
export function wrongWith({ language, base, ours, theirs, texts }: Judged, result: string): string | undefined {
  const sets = { base: marksIn(texts.base), ours: marksIn(texts.ours), theirs: marksIn(texts.theirs) };
  const has = {
    base: new Set(sets.base.map(({ mark }) => mark)),
    ours: new Set(sets.ours.map(({ mark }) => mark)),
    theirs: new Set(sets.theirs.map(({ mark }) => mark)),
  };
  const relations = new Map<string, Relation>();
  for (const program of [base, ours.program, theirs.program]) relate(relations, program, language);
  const moved = { ours: movedIn(sets.base, sets.ours), theirs: movedIn(sets.base, sets.theirs) };
  const found = marksIn(result);
  const at = new Map<string, number>();
  for (const [i, { mark }] of found.entries()) {
    if (at.has(mark)) return `${mark} doubled`;
    at.set(mark, i);
  }
  for (const mark of new Set([...has.base, ...has.ours, ...has.theirs])) {
    const [b, o, t] = [has.base.has(mark), has.ours.has(mark), has.theirs.has(mark)];
    const expected = b ? o && t : o || t;
    if (expected !== at.has(mark)) return `${mark} ${expected ? "lost" : "revived"}`;
    if (b && o !== t && (o ? ours : theirs).taken.has(mark) && (o ? moved.ours : moved.theirs).has(mark))
      return `${mark} moved by one, deleted by the other`;
  }
  for (const mark of at.keys()) if (!has.base.has(mark) && !has.ours.has(mark) && !has.theirs.has(mark)) return `${mark} from nowhere`;
  return misplaced(found, relations) ?? reordered(at, relations, sets, moved) ?? guessed(found, relations, has, sets);
}

/** What changed places with something: which of the two moved, nobody can tell. */
function movedIn(base: readonly Place[], side: readonly Place[]): Set<string> {
  const places = new Map(side.map(({ mark }, i) => [mark, i]));
  const common = base.map(({ mark }) => mark).filter((mark) => places.has(mark));
  const place = (mark: string): number => places.get(mark) as number;
  return new Set(
    common.filter((mark, i) => common.some((other, k) => (k < i ? place(other) > place(mark) : k > i && place(other) < place(mark)))),
  );
}

/** Of two neighbours in a list: where the sides agree, the result does; where one changed the order, it is that one's. */
function reordered(
  at: ReadonlyMap<string, number>,
  relations: ReadonlyMap<string, Relation>,
  sets: Record<"base" | "ours" | "theirs", readonly Place[]>,
  moved: Record<"ours" | "theirs", ReadonlySet<string>>,
): string | undefined {
  const [base, ours, theirs] = [sets.base, sets.ours, sets.theirs].map((side) => new Map(side.map(({ mark }, i) => [mark, i])));
  const before = (side: ReadonlyMap<string, number> | undefined, a: string, b: string): boolean | undefined => {
    const [x, y] = [side?.get(a), side?.get(b)];
    return x === undefined || y === undefined ? undefined : x < y;
  };
  const siblings = Map.groupBy([...at.keys()], (mark) => {
    const relation = relations.get(mark) as Relation;
    return relation.kind === "piece" ? "pieces" : relation.kind === "kid" ? relation.owner : "";
  });
  siblings.delete("");
  for (const marks of siblings.values())
    for (const [i, a] of marks.entries())
      for (const b of marks.slice(i + 1)) {
        const [was, o, t] = [before(base, a, b), before(ours, a, b), before(theirs, a, b)];
        // What one side added beside something, and the other moved that.
        if (
          (o === undefined && (moved.ours.has(a) || moved.ours.has(b))) ||
          (t === undefined && (moved.theirs.has(a) || moved.theirs.has(b)))
        )
          continue;
        const expected = o === undefined || o === was ? t : t === undefined || t === was || t === o ? o : undefined;
        if (expected !== undefined && expected !== before(at, a, b)) return `${a} and ${b} reordered`;
      }
  return undefined;
}

/** Every mark stands with what it belongs to. */
function misplaced(found: readonly Place[], relations: ReadonlyMap<string, Relation>): string | undefined {
  let piece: string | undefined;
  for (const [i, { mark, line }] of found.entries()) {
    const relation = relations.get(mark) as Relation;
    const before = found[i - 1];
    switch (relation.kind) {
      case "piece":
        piece = mark;
        break;
      case "kid":
        if (relation.owner !== piece) return `${mark} left ${relation.owner}`;
        break;
      case "value":
        if (before?.mark !== relation.owner) return `${mark} is no longer the value of ${relation.owner}`;
        break;
      case "tail": {
        const owner = before === undefined ? undefined : relations.get(before.mark);
        const same = before?.mark === relation.owner || (owner?.kind === "value" && owner.owner === relation.owner);
        if (!same || before?.line !== line) return `${mark} is no longer behind ${relation.owner}`;
        break;
      }
      case "note": {
        let next = i + 1;
        while (isNoteOf(relations.get(found[next]?.mark ?? ""), relation.owner)) next += 1;
        if (found[next]?.mark !== relation.owner) return `${mark} is no longer on ${relation.owner}`;
      }
    }
  }
  return undefined;
}

const isNoteOf = (relation: Relation | undefined, owner: string): boolean => relation?.kind === "note" && relation.owner === owner;

/** Two additions side by side, one of each side, where the order says something: nobody knows it. */
function guessed(
  found: readonly Place[],
  relations: ReadonlyMap<string, Relation>,
  has: Record<"base" | "ours" | "theirs", Set<string>>,
  sets: Record<"base" | "ours" | "theirs", readonly Place[]>,
): string | undefined {
  const sideOf = (mark: string): "ours" | "theirs" | "both" =>
    has.base.has(mark) || has.ours.has(mark) === has.theirs.has(mark) ? "both" : has.ours.has(mark) ? "ours" : "theirs";
  /** It was put where something of the base went: what stood beside that has its place. */
  const replaces = (mark: string, side: "ours" | "theirs"): boolean => {
    const list = sets[side];
    const i = list.findIndex((place) => place.mark === mark);
    const near = (step: number): number => {
      let k = i + step;
      while (list[k] !== undefined && !has.base.has((list[k] as Place).mark)) k += step;
      const found = list[k]?.mark;
      return found === undefined ? (step < 0 ? -1 : sets.base.length) : sets.base.findIndex((place) => place.mark === found);
    };
    return near(1) - near(-1) > 1;
  };
  let last: { mark: string; side: string; owner: string } | undefined;
  let lastPiece: { mark: string; side: string; acts: boolean } | undefined;
  for (const { mark } of found) {
    const relation = relations.get(mark) as Relation;
    const side = sideOf(mark);
    if (relation.kind === "kid") {
      if (
        relation.ordered &&
        last?.owner === relation.owner &&
        side !== "both" &&
        last.side !== "both" &&
        side !== last.side &&
        !replaces(mark, side) &&
        !replaces(last.mark, last.side as "ours")
      )
        return `${last.mark} and ${mark}: their order was guessed`;
      last = { mark, side, owner: relation.owner };
    } else if (relation.kind === "piece") {
      if (
        relation.acts &&
        lastPiece?.acts === true &&
        side !== "both" &&
        lastPiece.side !== "both" &&
        side !== lastPiece.side &&
        !replaces(mark, side) &&
        !replaces(lastPiece.mark, lastPiece.side as "ours")
      )
        return `${lastPiece.mark} and ${mark}: which is called first was guessed`;
      lastPiece = { mark, side, acts: relation.acts };
    }
  }
  return undefined;
}
