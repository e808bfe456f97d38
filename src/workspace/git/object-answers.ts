/**
 * What git said of objects named by their whole hash, and the tree it made of an index. Neither can ever be said otherwise,
 * so it is asked once: an object's answer holds for its hash, a tree's for the very same index, byte for byte, as long as
 * git still has the tree. Answers of one store of objects are given to nobody who reads another.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { sha256, type Clock } from "../../kernel/index.ts";
import { placePrint } from "./config-print.ts";
import type { Git } from "./git.ts";

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const MOST_TREES = 1_000;
const MOST_INDEX_BYTES = 16 * 1024 * 1024;
const MOST_ANSWER_BYTES = 256 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;

const answers = new Map<string, Buffer>();
let held = 0;

function keep(key: string, answer: Buffer): void {
  if (answer.length > MOST_ANSWER_BYTES) return;
  if (held + answer.length > MOST_BYTES) {
    answers.clear();
    held = 0;
  }
  held += answer.length;
  answers.set(key, Buffer.from(answer));
}

/** What a command says that reads these objects and nothing else. */
export async function askedOnce(git: Git, command: readonly string[], objects: readonly string[], signal?: AbortSignal): Promise<Buffer> {
  const key =
    git.stores.length > 0 && objects.every((one) => HASH.test(one)) ? [...git.stores, ...command, ...objects].join("\n") : undefined;
  const known = key === undefined ? undefined : answers.get(key);
  if (known !== undefined) return Buffer.from(known);
  const { stdout } = await git.run([...command, ...objects], { signal });
  if (key !== undefined && !answers.has(key)) keep(key, stdout);
  return stdout;
}

interface KnownTree {
  tree: string;
  /** The file it stands in; otherwise it is in a pack, and there as long as no pack comes or goes. */
  file: string | undefined;
  packs: string | undefined;
}

const trees = new Map<string, KnownTree>();

/** Undefined: whether a pack comes or goes cannot be told. */
function packsOf({ stores }: Git, clock: Clock): string | undefined {
  if (stores.some((store) => existsSync(path.join(store, "info/alternates")))) return undefined;
  const prints = stores.map((store) => placePrint(path.join(store, "pack"), clock.now()));
  return prints.includes(undefined) ? undefined : prints.join("\n");
}

function isThere({ file, packs }: KnownTree, git: Git, clock: Clock): boolean {
  return file === undefined ? packs !== undefined && packs === packsOf(git, clock) : existsSync(file);
}

/** Undefined: too large to be worth it. */
async function indexPrint(index: string): Promise<string | undefined> {
  const bytes = await readFile(index);
  return bytes.length > MOST_INDEX_BYTES ? undefined : sha256(bytes);
}

/** The tree that a private index describes; git has it. */
export async function treeOf(git: Git, clock: Clock, env: { GIT_INDEX_FILE: string }, signal: AbortSignal | undefined): Promise<string> {
  const print = git.stores.length === 0 ? undefined : await indexPrint(env.GIT_INDEX_FILE);
  const key = print === undefined ? undefined : [...git.stores, print].join("\n");
  const known = key === undefined ? undefined : trees.get(key);
  if (known !== undefined && isThere(known, git, clock)) return known.tree;
  const packs = packsOf(git, clock);
  const tree = await git.text(["write-tree"], { env, signal });
  if (key === undefined) return tree;
  if (trees.size >= MOST_TREES) trees.clear();
  const file = git.stores.map((store) => path.join(store, tree.slice(0, 2), tree.slice(2))).find((place) => existsSync(place));
  trees.set(key, { tree, file, packs });
  return tree;
}
