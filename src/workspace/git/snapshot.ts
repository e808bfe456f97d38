/**
 * A commit of a working tree exactly as it is, uncommitted and untracked files included, made beside
 * the user's own index and branch: neither is touched. Ignored files stay out; so do huge untracked
 * ones, which are named in the answer.
 */
import { constants } from "node:fs";
import { access, copyFile, lstat, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { mapLimit, newId, systemCode, writeError, type Clock } from "../../kernel/index.ts";
import type { Git } from "./git.ts";
import { treeOf } from "./object-answers.ts";

export interface Snapshot {
  commit: string;
  tree: string;
  /** Untracked files left out because of their size, or because they cannot be read. */
  skipped: string[];
}

interface StageOptions {
  maxUntrackedBytes?: number | undefined;
  maxUntrackedTotalBytes?: number | undefined;
  maxUntrackedFiles?: number | undefined;
  /** What git is told to leave out of files it does not know; its own lists when absent. */
  untracked?: readonly string[] | undefined;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface SnapshotOptions extends StageOptions {
  message: string;
  /** Parents of the commit; the current HEAD when absent and there is one. */
  parents?: readonly string[] | undefined;
}

const MAX_UNTRACKED_BYTES = 10 * 1024 * 1024;
const MAX_UNTRACKED_TOTAL = 256 * 1024 * 1024;
const STAT_LANES = 16;
const RACY_MARGIN_MS = 20;

export function splitZ(output: Buffer): string[] {
  const names = output.toString("utf8").split("\0");
  names.pop();
  return names;
}

/** Runs `work` with a private copy of the tree's index, so that its cached file times are of use. */
export async function withPrivateIndex<T>(git: Git, clock: Clock, work: (env: { GIT_INDEX_FILE: string }) => Promise<T>): Promise<T> {
  const gitDir = git.gitDir ?? (await git.text(["rev-parse", "--absolute-git-dir"]));
  const index = path.join(gitDir, `sylk-index-${newId("i", clock.now())}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    try {
      const { mtimeMs } = await stat(path.join(gitDir, "index"));
      await copyFile(path.join(gitDir, "index"), index);
      // Git trusts cached file times older than the index; a copy with a new time would hide edits of the same moment.
      const older = (mtimeMs - RACY_MARGIN_MS) / 1_000;
      await utimes(index, older, older);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw writeError(index, error);
      await git.run(["read-tree", "--empty"], { env });
    }
    return await work(env);
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

/** Undefined: it is gone. Infinite: it cannot be read. */
async function sizeOf(file: string): Promise<number | undefined> {
  const info = await lstat(file).catch(() => undefined);
  if (info?.isFile() !== true) return info?.size;
  return access(file, constants.R_OK).then(
    () => info.size,
    () => Infinity,
  );
}

/** Names in the index whose files are not as it says, and files it does not know; both in one look. */
async function lookAround(
  git: Git,
  env: Record<string, string>,
  { signal, timeoutMs, untracked = ["--exclude-standard"] }: StageOptions,
): Promise<{ changed: string[]; unknown: string[] }> {
  const args = ["ls-files", "-t", "--modified", "--deleted", "--others", ...untracked, "-z"];
  const found = splitZ((await git.run(args, { env, signal, timeoutMs })).stdout);
  const names = (isUnknown: boolean): string[] => found.filter((one) => one.startsWith("? ") === isUnknown).map((one) => one.slice(2));
  return { changed: [...new Set(names(false))], unknown: names(true) };
}

async function chosen(
  git: Git,
  found: readonly string[],
  options: StageOptions,
): Promise<{ take: string[]; skip: string[]; nested: string[] }> {
  const sizes = await mapLimit(found, STAT_LANES, (name) => sizeOf(path.join(git.cwd, name)), options.signal);
  const take: string[] = [];
  const skip: string[] = [];
  const nested = found.filter((name) => name.endsWith("/"));
  let total = 0;
  for (const [i, name] of found.entries()) {
    const size = sizes[i];
    // A name ending in "/" is another repository inside this one; a vanished file has no size.
    if (size === undefined || name.endsWith("/")) continue;
    const tooMuch =
      size > (options.maxUntrackedBytes ?? MAX_UNTRACKED_BYTES) ||
      total + size > (options.maxUntrackedTotalBytes ?? MAX_UNTRACKED_TOTAL) ||
      take.length >= (options.maxUntrackedFiles ?? Infinity);
    if (tooMuch) skip.push(name);
    else {
      take.push(name);
      total += size;
    }
  }
  return { take, skip, nested };
}

/**
 * Brings an index up to date with the files. `git add` would look into submodules with their own settings, so changed
 * names are listed and handed over one by one.
 */
export async function stage(
  git: Git,
  env: Record<string, string>,
  options: StageOptions & { only?: readonly string[] | undefined },
): Promise<{ skipped: string[]; nested: string[] }> {
  const { signal, only } = options;
  const { changed, unknown } = await lookAround(git, env, options);
  const { take, skip, nested } = await chosen(git, unknown, options);
  const names = [...changed, ...take].filter(
    (name) => only === undefined || only.some((wanted) => name === wanted || name.startsWith(`${wanted}/`)),
  );
  if (names.length > 0)
    await git.run(["update-index", "--add", "--remove", "-z", "--stdin"], { env, signal, input: `${names.join("\0")}\0` });
  return { skipped: skip, nested };
}

/** The tree that all files would be; it is among git's objects then. */
export async function treeNow(
  git: Git,
  clock: Clock,
  options: StageOptions,
): Promise<{ tree: string; skipped: string[]; nested: string[] }> {
  return withPrivateIndex(git, clock, async (env) => {
    const left = await stage(git, env, options);
    return { ...left, tree: await treeOf(git, clock, env, options.signal) };
  });
}

export async function takeSnapshot(git: Git, clock: Clock, options: SnapshotOptions): Promise<Snapshot> {
  const { signal } = options;
  const { tree, skipped } = await treeNow(git, clock, options);
  const head = options.parents === undefined ? await currentHead(git, signal) : undefined;
  // A clean tree is its own snapshot.
  if (head?.tree === tree) return { commit: head.commit, tree, skipped };
  const parents = options.parents ?? (head === undefined ? [] : [head.commit]);
  const commit = await git.text(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"], {
    input: options.message,
    signal,
  });
  return { commit, tree, skipped };
}

/** Undefined before the first commit. */
async function currentHead(git: Git, signal: AbortSignal | undefined): Promise<{ commit: string; tree: string } | undefined> {
  const both = ["rev-parse", "HEAD", "HEAD^{tree}"];
  let said = await git.run(both, { accept: [128], signal });
  if (said.code !== 0) {
    const head = await git.run(["rev-parse", "--verify", "--quiet", "HEAD"], { accept: [1, 128], signal });
    if (head.code !== 0) return undefined;
    // A commit whose tree is lost is told as that.
    said = await git.run(both, { signal });
  }
  const [commit = "", tree = ""] = said.stdout.toString().split("\n");
  return { commit, tree };
}
