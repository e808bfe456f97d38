/**
 * What may be near a vector, by the signs of its numbers alone: quick, and a little rough. The numbers decide
 * afterwards. All signs are held in memory until the index changes, and each question looks at every one of them.
 */
import type { DatabaseSync } from "node:sqlite";
import { vocabularyOf } from "./vocabulary.ts";

export interface NearSigns {
  pieces(vector: Int8Array, count: number): number[];
  sayings(kind: "commit" | "turn", vector: Int8Array, count: number): number[];
}

/** 256 signs are eight words of 32. */
const WORDS = 8;
const BITS = WORDS * 32;
const BYTES = BITS / 8;

interface Signs {
  keys: Float64Array;
  /** Eight for each key. */
  words: Int32Array;
}

/** Bit after bit as the table has them: one where the number is above zero. */
function signsOf(vector: Int8Array): Int32Array {
  const words = new Int32Array(WORDS);
  for (const [i, value] of vector.entries()) if (value > 0) words[i >> 5] = (words[i >> 5] ?? 0) | (1 << (i & 31));
  return words;
}

function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55);
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33);
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}

/** The keys of the nearest, nearest first; of equals, those that came first. */
function nearest({ keys, words }: Signs, asked: Int32Array, count: number): number[] {
  const far = new Uint16Array(keys.length);
  const having = new Uint32Array(BITS + 2);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = asked;
  for (let i = 0, at = 0; i < keys.length; i += 1, at += WORDS) {
    const differing =
      bitsOf((words[at] ?? 0) ^ a) +
      bitsOf((words[at + 1] ?? 0) ^ b) +
      bitsOf((words[at + 2] ?? 0) ^ c) +
      bitsOf((words[at + 3] ?? 0) ^ d) +
      bitsOf((words[at + 4] ?? 0) ^ e) +
      bitsOf((words[at + 5] ?? 0) ^ f) +
      bitsOf((words[at + 6] ?? 0) ^ g) +
      bitsOf((words[at + 7] ?? 0) ^ h);
    far[i] = differing;
    having[differing + 1] = (having[differing + 1] ?? 0) + 1;
  }
  // Where the keys of each distance begin among all; what lies behind the last one wanted is not taken.
  for (let distance = 1; distance < having.length; distance += 1) having[distance] = (having[distance] ?? 0) + (having[distance - 1] ?? 0);
  const wanted = Math.min(count, keys.length);
  const found: number[] = Array.from({ length: wanted });
  for (let i = 0; i < keys.length; i += 1) {
    const distance = far[i] ?? 0;
    const place = having[distance] ?? 0;
    if (place >= wanted) continue;
    found[place] = keys[i] ?? 0;
    having[distance] = place + 1;
  }
  return found;
}

interface Block {
  size: number;
  validity: Uint8Array;
  rowids: Uint8Array;
  vectors: Uint8Array;
}

/** The table keeps its rows in blocks; they are read as they lie there, which is many times quicker than row by row. */
function joined(blocks: readonly Block[]): Signs {
  const most = blocks.reduce((sum, { size }) => sum + size, 0);
  const keys = new Float64Array(most);
  const words = new Int32Array(most * WORDS);
  const bytes = new Uint8Array(words.buffer);
  let count = 0;
  for (const { size, validity, rowids, vectors } of blocks) {
    const ids = new DataView(rowids.buffer, rowids.byteOffset, rowids.byteLength);
    bytes.set(vectors, count * BYTES);
    const begin = count;
    for (let i = 0; i < size; i += 1) {
      if (((validity[i >> 3] ?? 0) & (1 << (i & 7))) === 0) continue;
      keys[count] = ids.getUint32(i * 8, true) + ids.getInt32(i * 8 + 4, true) * 2 ** 32;
      // Behind a row that is gone the others move up.
      if (count - begin < i) words.copyWithin(count * WORDS, (begin + i) * WORDS, (begin + i + 1) * WORDS);
      count += 1;
    }
  }
  return { keys: keys.subarray(0, count), words: words.subarray(0, count * WORDS) };
}

export function createNearSigns(db: DatabaseSync): NearSigns {
  const vocabulary = vocabularyOf(db);
  const blocks = (table: string, where: string) =>
    db.prepare(
      `SELECT c.size, c.validity, c.rowids, v.vectors FROM ${table}_chunks c JOIN ${table}_vector_chunks00 v ON v.rowid = c.chunk_id ${where} ORDER BY c.chunk_id`,
    );
  const tables = {
    piece: blocks("piece_signs", ""),
    commit: blocks("saying_signs", "WHERE c.partition00 = 'commit'"),
    turn: blocks("saying_signs", "WHERE c.partition00 = 'turn'"),
  };
  const held = new Map<keyof typeof tables, { version: number; signs: Signs }>();
  const signs = (name: keyof typeof tables): Signs => {
    const version = vocabulary.refresh();
    const known = held.get(name);
    if (known?.version === version) return known.signs;
    const read = joined(tables[name].all() as unknown as Block[]);
    held.set(name, { version, signs: read });
    return read;
  };
  return {
    pieces: (vector, count) => nearest(signs("piece"), signsOf(vector), count),
    sayings: (kind, vector, count) => nearest(signs(kind), signsOf(vector), count),
  };
}
