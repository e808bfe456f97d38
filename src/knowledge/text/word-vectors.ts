/**
 * The table of word vectors that ships with Sylk, and what is made of it: a vector for a piece of a file,
 * for a question, and for what a commit or a user said. Read when first needed, whole and once in each
 * thread. A table that is missing, cut or of another form is a reason in words, never an error: whoever asks goes on without.
 */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { messageOf, systemPaths } from "../../kernel/index.ts";
import { tokenize } from "./tokenize.ts";

const size = z.int().min(1).max(1_000_000);
const cardSchema = z.object({
  version: z.literal(1),
  words: size,
  dimensions: size,
  bodyWeight: z.number(),
  pathWeight: z.number(),
  queryWords: size,
  bodyWords: size,
  pathWords: size,
  documentWords: size,
});

export interface WordVectors {
  /** Changes with the table: what was made with another is not compared. */
  readonly name: string;
  readonly dimensions: number;
  knows(word: string): boolean;
  /** Undefined when no word is known. */
  piece(path: string, words: readonly string[]): Int8Array | undefined;
  question(text: string): Int8Array | undefined;
  /** For comparing what was said with what is asked. */
  saying(text: string): Int8Array | undefined;
}

export type LoadedVectors = { kind: "loaded"; vectors: WordVectors } | { kind: "unusable"; reason: string };

let shipped: LoadedVectors | undefined;

/** Those that ship with Sylk, read once; or those of a folder, read now. */
export function wordVectors(folder?: string): LoadedVectors {
  return folder === undefined ? (shipped ??= loadWordVectors(systemPaths.shipped("data", "word-vectors"))) : loadWordVectors(folder);
}

function loadWordVectors(folder: string): LoadedVectors {
  try {
    return { kind: "loaded", vectors: createWordVectors(folder) };
  } catch (error) {
    return { kind: "unusable", reason: unusable(folder, error) };
  }
}

type Card = z.infer<typeof cardSchema>;

const nameOf = ({ version }: Card): string => `words-${version}`;

/** Looks only at the card and the sizes: what is stored was made with this one, or must be made again. */
export function wordVectorsState(folder = systemPaths.shipped("data", "word-vectors")): { name: string; trouble: string | undefined } {
  try {
    return { name: nameOf(readCard(folder)), trouble: undefined };
  } catch (error) {
    return { name: "none", trouble: unusable(folder, error) };
  }
}

const unusable = (folder: string, error: unknown): string =>
  `the word vectors in ${folder} cannot be used (${messageOf(error)}); install Sylk again`;

function readCard(folder: string): Card {
  const parsed = cardSchema.safeParse(JSON.parse(readFileSync(path.join(folder, "card.json"), "utf8")));
  if (!parsed.success) throw new RangeError("card.json is of another version");
  const { words, dimensions: d } = parsed.data;
  const sizes = {
    "vectors.i8": words * d,
    "query-weights.f32": words * 4,
    "document-weights.f32": words * 4,
    "query-matrix.f32": d * d * 4,
  };
  for (const [name, bytes] of Object.entries(sizes)) {
    const { size: found } = statSync(path.join(folder, name));
    if (found !== bytes) throw new RangeError(`${name} has ${found} bytes instead of ${bytes}`);
  }
  return parsed.data;
}

/** Numbers must begin at a multiple of their size, which a small file that was read need not. */
function floatsOf(file: string): Float32Array {
  const read = readFileSync(file);
  return new Float32Array(
    read.byteOffset % 4 === 0 ? read.buffer : Uint8Array.from(read).buffer,
    read.byteOffset % 4 === 0 ? read.byteOffset : 0,
    read.length / 4,
  );
}

function createWordVectors(folder: string): WordVectors {
  const card = readCard(folder);
  const d = card.dimensions;
  const words = readFileSync(path.join(folder, "words.txt"), "utf8").trimEnd().split("\n");
  if (words.length !== card.words) throw new RangeError(`words.txt has ${words.length} words instead of ${card.words}`);
  const bytes = readFileSync(path.join(folder, "vectors.i8"));
  const table = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const [asked, written, matrix] = ["query-weights.f32", "document-weights.f32", "query-matrix.f32"].map((name) =>
    floatsOf(path.join(folder, name)),
  ) as [Float32Array, Float32Array, Float32Array];
  const rows = new Map(words.map((word, row) => [word, row]));

  /** Adds the first so many distinct words that are known. */
  const addBag = (into: Float32Array, tokens: Iterable<string>, most: number, weights: Float32Array, share: number): number => {
    const seen = new Set<number>();
    for (const token of tokens) {
      const row = rows.get(token);
      if (row === undefined || seen.has(row)) continue;
      seen.add(row);
      const weight = (weights[row] ?? 0) * share;
      const from = row * d;
      for (let i = 0; i < d; i += 1) into[i] = (into[i] ?? 0) + weight * (table[from + i] ?? 0);
      if (seen.size >= most) break;
    }
    return seen.size;
  };
  const bagOf = (text: string): Float32Array | undefined => {
    const at = text.indexOf("\n");
    const sum = new Float32Array(d);
    const known =
      addBag(sum, tokenize(at === -1 ? text : text.slice(0, at)), card.queryWords, asked, 1) +
      (at === -1 ? 0 : addBag(sum, tokenize(text.slice(at)), card.bodyWords, asked, card.bodyWeight));
    return known === 0 ? undefined : sum;
  };
  return {
    name: nameOf(card),
    dimensions: d,
    knows: (word) => rows.has(word),
    piece(file, tokens) {
      const sum = new Float32Array(d);
      const known =
        addBag(sum, tokenize(file), card.pathWords, written, card.pathWeight) + addBag(sum, tokens, card.documentWords, written, 1);
      return known === 0 ? undefined : toBytes(sum);
    },
    question(text) {
      const bag = bagOf(text);
      if (bag === undefined) return undefined;
      const turned = new Float32Array(d);
      for (let row = 0; row < d; row += 1) {
        let sum = 0;
        for (let i = 0; i < d; i += 1) sum += (matrix[row * d + i] ?? 0) * (bag[i] ?? 0);
        turned[row] = sum;
      }
      return toBytes(turned);
    },
    saying(text) {
      const bag = bagOf(text);
      return bag === undefined ? undefined : toBytes(bag);
    },
  };
}

/** Only the direction counts, so each vector may have its own scale. */
function toBytes(vector: Float32Array): Int8Array {
  let most = 1e-12;
  for (let i = 0; i < vector.length; i += 1) most = Math.max(most, Math.abs(vector[i] ?? 0));
  const bytes = new Int8Array(vector.length);
  for (let i = 0; i < vector.length; i += 1) bytes[i] = Math.round(((vector[i] ?? 0) * 127) / most);
  return bytes;
}

/** The cosine of two vectors of the same table; 0 when either is of another length. */
export function nearnessOf(a: Int8Array, b: Int8Array): number {
  if (a.length !== b.length) return 0;
  // Whole numbers throughout: 256 products of two bytes stay far below what 32 bits hold.
  let dot = 0;
  let one = 0;
  let other = 0;
  for (let i = 0; i < a.length; i += 1) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot = (dot + x * y) | 0;
    one = (one + x * x) | 0;
    other = (other + y * y) | 0;
  }
  return one === 0 || other === 0 ? 0 : dot / Math.sqrt(one * other);
}
