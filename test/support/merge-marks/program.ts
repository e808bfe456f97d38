/**
 * Random programs in which every name, value, note and attribute is a mark (`m17`) that occurs nowhere
 * else, and random edits of them. What a merge must be is then decided by the marks alone.
 */
export type Random = (below: number) => number;

/** Mulberry32: the same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export interface Kid {
  id: string;
  value: string;
  note?: string;
  tail?: string;
}

/** `call` is a value that something must be called for; `sequence` and `block` are ordered, `map` is a set. */
export type Shape = "scalar" | "call" | "block" | "sequence" | "map";

export interface Piece extends Kid {
  shape: Shape;
  attribute?: string;
  kids: Kid[];
}

export interface Program {
  pieces: Piece[];
  /** Lists on one line. */
  flat: boolean;
}

/** What one side did, for the judge. */
export interface Edited {
  program: Program;
  /** What was moved itself, not along with what it stands in. */
  taken: Set<string>;
}

export interface Marks {
  next(): string;
}

export const marksFrom = (first: number): Marks => {
  let n = first;
  return { next: () => `m${(n += 1)}` };
};

const SHAPES: readonly Shape[] = ["scalar", "scalar", "call", "block", "block", "sequence", "map"];

function kid(marks: Marks): Kid {
  return { id: marks.next(), value: marks.next() };
}

function piece(random: Random, marks: Marks): Piece {
  const shape = SHAPES[random(SHAPES.length)] as Shape;
  const kids = shape === "scalar" || shape === "call" ? [] : Array.from({ length: 1 + random(4) }, () => kid(marks));
  return { ...kid(marks), shape, kids };
}

export function programFrom(random: Random, marks: Marks): Program {
  const pieces = Array.from({ length: 1 + random(6) }, () => piece(random, marks));
  for (const one of pieces) {
    if (random(5) === 0) one.note = marks.next();
    if (random(8) === 0) one.attribute = marks.next();
    for (const child of one.kids) if (random(10) === 0) child.tail = marks.next();
  }
  return { pieces, flat: random(3) === 0 };
}

function move<T extends Piece | Kid>(list: T[], random: Random, ids: Set<string>): void {
  if (list.length < 2) return;
  const from = random(list.length);
  const [taken] = list.splice(from, 1) as [T];
  const to = (from + 1 + random(list.length)) % (list.length + 1);
  list.splice(to, 0, taken);
  ids.add(taken.id);
}

/** Some edits: insert, delete, change, move, a note, a note at the end of a line, an attribute. */
export function edit(program: Program, random: Random, marks: Marks): Edited {
  const copy = structuredClone(program);
  const taken = new Set<string>();
  const { pieces } = copy;
  for (let left = 1 + random(3); left > 0; left -= 1) {
    const at = random(pieces.length + 1);
    const one = pieces[random(Math.max(1, pieces.length))];
    const child = one?.kids[random(Math.max(1, one.kids.length))];
    switch (random(12)) {
      case 0:
      case 1:
        pieces.splice(at, 0, piece(random, marks));
        break;
      case 2:
        if (pieces.length > 1) pieces.splice(Math.min(at, pieces.length - 1), 1);
        break;
      case 3:
        if (one?.shape === "scalar" || one?.shape === "call") one.value = marks.next();
        else if (child !== undefined) child.value = marks.next();
        break;
      case 4:
        move(pieces, random, taken);
        break;
      case 5:
        if (one !== undefined) move(one.kids, random, taken);
        break;
      case 6:
        if (one !== undefined) one.note = marks.next();
        break;
      case 7:
        if (child !== undefined) child.tail = marks.next();
        else if (one !== undefined) one.tail = marks.next();
        break;
      case 8:
        if (one !== undefined) one.attribute = marks.next();
        break;
      case 9:
      case 10:
        if (one !== undefined && one.kids.length > 0) one.kids.splice(random(one.kids.length + 1), 0, kid(marks));
        break;
      default:
        if (one !== undefined && one.kids.length > 1) one.kids.splice(random(one.kids.length), 1);
        else if (child !== undefined) child.note = marks.next();
    }
  }
  return { program: copy, taken };
}
