/**
 * One piece of work: its own folder, its own branch `sylk/<id>`, checkpoints under hidden refs.
 * Nothing here touches the user's tree; work that was not merged is never thrown away unasked, and
 * what is thrown away stays reachable for a while under `refs/sylk/discarded/`.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { SylkError, must } from "../../kernel/index.ts";
import { fileDiffs, parseRawDiff, type FileDiff, type TreeChange } from "./file-diffs.ts";
import { createGit, type Git } from "./git.ts";
import { objectsOf, ownObjects, readRef, readSmall } from "../git-folders.ts";
import { linkDependencies } from "./link-dependencies.ts";
import { askedOnce, treeOf } from "./object-answers.ts";
import type { RepositoryContext } from "./repository-context.ts";
import { splitZ, stage, takeSnapshot, treeNow, withPrivateIndex, type Snapshot } from "./snapshot.ts";

export interface NewWorkTree {
  /** Letters, digits, `-`, `_`, `.`; names folder and branch. */
  id: string;
  /** Where it starts: a commit, usually a snapshot of the project. A fresh snapshot when absent. */
  base?: string | undefined;
  /** What is written in it gets git objects of its own, which no other tree reads and which go with it. It cannot be kept. */
  apart?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface Checkpoint {
  ref: string;
  number: number;
  commit: string;
  label: string;
  skipped: string[];
}

export type CommitOutcome = { kind: "committed"; commit: string; files: string[] } | { kind: "nothing_to_commit" };
export type DiscardOutcome =
  | { kind: "discarded"; recoverableFrom: string | undefined }
  | { kind: "kept"; reason: string; changed: string[] };

export interface WorkTree {
  readonly id: string;
  /** The project's folder inside the work tree. */
  readonly path: string;
  readonly branch: string;
  /** The commit the work started from. */
  readonly base: string;
  checkpoint(label: string, signal?: AbortSignal): Promise<Checkpoint>;
  checkpoints(): Promise<Checkpoint[]>;
  /** Makes the files equal to a checkpoint; the state before is a checkpoint of its own. Ignored files stay. */
  restore(target: Checkpoint | string, signal?: AbortSignal): Promise<{ before: Checkpoint; changed: string[] }>;
  commit(options: { message: string; paths?: readonly string[] | undefined }): Promise<CommitOutcome>;
  /** The files as they are now, as a commit. */
  snapshot(label: string, signal?: AbortSignal): Promise<Snapshot>;
  /** What the work changed since it started, or since a commit; only the project's own files. */
  changes(signal?: AbortSignal, since?: string): Promise<TreeChange[]>;
  /** The same, each file with its part of the diff. */
  fileDiffs(options?: { signal?: AbortSignal; since?: string }): Promise<FileDiff[]>;
  /** The same as a unified diff, cut at `maxBytes`. */
  diff(options?: { maxBytes?: number; signal?: AbortSignal; since?: string }): Promise<{ text: string; truncated: boolean }>;
  /** The last commit on its branch. */
  head(): Promise<string>;
  /** What was committed after a commit, newest first. */
  log(after: string): Promise<{ commit: string; message: string }[]>;
  content(blob: string): Promise<Buffer>;
  /** Of these files those that no commit and no copy of the tree would hold, as git is told to leave them out. */
  ignored(files: readonly string[], signal?: AbortSignal): Promise<string[]>;
  /** Remembers that everything up to this snapshot has been merged. */
  markMerged(commit: string): Promise<void>;
  discard(options?: { force?: boolean }): Promise<DiscardOutcome>;
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/u;
const MAX_DIFF_BYTES = 256 * 1024;
const KEPT_DISCARDED = 200;
const MAX_NAMED = 5;
const LINK_AGAIN_MS = 10_000;
const CHECKOUT_TIMEOUT_MS = 600_000;

const branchRef = (id: string): string => `refs/heads/sylk/${id}`;
const baseRef = (id: string): string => `refs/sylk/base/${id}`;
const mergedRef = (id: string): string => `refs/sylk/merged/${id}`;
const checkpointPrefix = (id: string): string => `refs/sylk/checkpoints/${id}/`;
const DISCARDED = "refs/sylk/discarded/";
const discardedRef = (id: string, commit: string): string => `${DISCARDED}${id}-${commit.slice(0, 10)}`;

async function restoreTree(tree: Git, context: RepositoryContext, target: string, signal: AbortSignal | undefined): Promise<string[]> {
  return withPrivateIndex(tree, context.clock, async (env) => {
    await stage(tree, env, { signal, maxUntrackedBytes: Infinity, maxUntrackedTotalBytes: Infinity });
    const now = await treeOf(tree, context.clock, env, signal);
    const changed = parseRawDiff(
      (await tree.run(["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", now, target], { signal })).stdout,
      "",
    );
    // A file that was only touched is as it was, and yet git would not write over it before it looked again.
    await tree.run(["update-index", "-q", "--refresh"], { env, signal, accept: [1] });
    await tree.run(["read-tree", "-m", "-u", now, target], { env, signal });
    return changed.map((change) => change.path);
  });
}

/** Git in a work tree, by the folders Sylk made it with: whatever stands in the tree's own `.git` does not count. */
export function gitIn(context: RepositoryContext, top: string, cwd = top): Git {
  const admin = path.join(context.commonDir, "worktrees");
  const mark = path.join(top, ".git");
  const name = readdirSync(admin).find((one) => readSmall(path.join(admin, one, "gitdir")) === mark);
  if (name === undefined)
    throw new SylkError({
      code: "WORKTREE_LOST",
      tier: "user_fixable",
      message: `the repository no longer knows the work tree ${top}`,
      fix: "git worktree repair, or discard the task's work",
    });
  return createGit(cwd, context.clock, {
    GIT_DIR: path.join(admin, name),
    GIT_COMMON_DIR: context.commonDir,
    GIT_WORK_TREE: top,
    ...ownObjects(path.join(admin, name), context.commonDir),
  });
}

function attach(context: RepositoryContext, id: string, top: string, base: string): WorkTree {
  const tree = gitIn(context, top);
  const branch = `sylk/${id}`;
  const shared = context.git;

  const checkpoints = async (): Promise<Checkpoint[]> => {
    const text = await shared.text(["for-each-ref", "--format=%(refname) %(objectname) %(contents:subject)", checkpointPrefix(id)]);
    return text === ""
      ? []
      : text.split("\n").map((line) => {
          const [ref = "", commit = "", ...label] = line.split(" ");
          return { ref, number: Number(ref.slice(checkpointPrefix(id).length)), commit, label: label.join(" "), skipped: [] };
        });
  };

  const checkpoint = async (label: string, signal?: AbortSignal): Promise<Checkpoint> => {
    const last = (await checkpoints()).at(-1);
    const made = await takeSnapshot(tree, context.clock, {
      message: label.replaceAll("\n", " ").trim() || "checkpoint",
      parents: [last?.commit ?? base],
      signal,
    });
    const number = (last?.number ?? 0) + 1;
    const ref = `${checkpointPrefix(id)}${String(number).padStart(6, "0")}`;
    await shared.run(["update-ref", ref, made.commit]);
    return { ref, number, commit: made.commit, label, skipped: made.skipped };
  };

  const snapshot = (label: string, signal?: AbortSignal): Promise<Snapshot> =>
    takeSnapshot(tree, context.clock, { message: label, parents: [base], signal });

  /** The files as they are, as a tree of git's. */
  const filesNow = async (signal?: AbortSignal): Promise<string> => (await treeNow(tree, context.clock, { signal })).tree;

  /** A command may have set the tree's HEAD to something else than its branch. */
  const headNow = async (): Promise<string> => {
    const isOnBranch = readSmall(path.join(must(tree.gitDir), "HEAD")) === `ref: ${branchRef(id)}`;
    return (isOnBranch ? readRef(context.commonDir, branchRef(id)) : undefined) ?? tree.text(["rev-parse", "HEAD"]);
  };

  const rawDiff = async (from: string, to: string, signal?: AbortSignal): Promise<TreeChange[]> =>
    parseRawDiff(
      await askedOnce(tree, ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"], [from, to], signal),
      context.prefix,
    );

  /** What was thrown away longest ago goes for good. */
  const forgetOldest = async (): Promise<void> => {
    const old = await shared.text(["for-each-ref", "--sort=-committerdate", "--format=%(refname)", DISCARDED]);
    await deleteRefs(shared, old.split("\n").slice(KEPT_DISCARDED));
  };

  return {
    id,
    path: path.join(top, context.prefix),
    branch,
    base,
    checkpoint,
    checkpoints,
    snapshot,
    async restore(target, signal) {
      const commit = typeof target === "string" ? target : target.commit;
      const before = await checkpoint("before restore", signal);
      return { before, changed: await restoreTree(tree, context, commit, signal) };
    },
    async commit({ message, paths }) {
      const only = paths?.map((file) => path.posix.join(context.prefix, file));
      await stage(tree, {}, { only, maxUntrackedBytes: Infinity, maxUntrackedTotalBytes: Infinity });
      const staged = (await tree.text(["diff", "--cached", "--name-only", "-z"])).split("\0").filter((file) => file !== "");
      if (staged.length === 0) return { kind: "nothing_to_commit" };
      const said = new Map(
        splitZ((await tree.run(["config", "--null", "--get-regexp", String.raw`^user\.(name|email)$`], { accept: [1] })).stdout).map(
          (one): [string, string] => [one.slice(0, one.indexOf("\n")), one.slice(one.indexOf("\n") + 1)],
        ),
      );
      const [name, email] = [said.get("user.name") || "Sylk", said.get("user.email") || "sylk@localhost"];
      const env = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
      await tree.run(["commit", "--quiet", "--no-verify", "-F", "-"], { input: message, env });
      return { kind: "committed", commit: await headNow(), files: staged };
    },
    changes: async (signal, since = base) => rawDiff(since, await filesNow(signal), signal),
    head: async () => readRef(context.commonDir, `refs/heads/${branch}`) ?? tree.text(["rev-parse", "HEAD"]),
    async log(after) {
      const said = await tree.text(["log", "--format=%H%n%B%x00", `${after}..HEAD`]);
      return said
        .split("\0")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "")
        .map((entry) => ({ commit: entry.slice(0, entry.indexOf("\n")), message: entry.slice(entry.indexOf("\n") + 1) }));
    },
    fileDiffs: async ({ signal, since = base } = {}) =>
      fileDiffs(tree, [since, await filesNow(signal)], { prefix: context.prefix, signal }),
    async diff({ maxBytes = MAX_DIFF_BYTES, signal, since = base } = {}) {
      const now = await filesNow(signal);
      const { stdout } = await tree.run(
        ["diff", "--no-color", ...(context.prefix === "" ? [] : [`--relative=${context.prefix}`]), since, now],
        { signal },
      );
      return { text: stdout.subarray(0, maxBytes).toString("utf8"), truncated: stdout.length > maxBytes };
    },
    content: (blob) => askedOnce(tree, ["cat-file", "blob"], [blob]),
    async ignored(files, signal) {
      if (files.length === 0) return [];
      const names = files.map((file) => path.posix.join(context.prefix, file));
      const { code, stdout } = await tree.run(["check-ignore", "-z", "--stdin"], { input: names.join("\0"), accept: [1, 128], signal });
      const found = new Set(splitZ(stdout));
      // Behind a link git takes nothing in either, and says of none which.
      return files.filter((_, index) => code === 128 || found.has(must(names[index])));
    },
    markMerged: async (commit) => void (await shared.run(["update-ref", mergedRef(id), commit])),
    async discard({ force = false } = {}) {
      // Upon its own commits, so that these can be had again too.
      const last = await takeSnapshot(tree, context.clock, { message: "discarded work" });
      const refs = await refsOf(context, id, [DISCARDED]);
      const open = await rawDiff(refs.get(mergedRef(id)) ?? base, last.commit);
      if (open.length > 0 && !force)
        return { kind: "kept", reason: `${open.length} changed files were never merged`, changed: open.map((change) => change.path) };
      const ref = open.length > 0 || last.commit !== base ? discardedRef(id, last.commit) : undefined;
      if (ref !== undefined) await shared.run(["update-ref", ref, last.commit]);
      await removeWhole(context, id, top, refs);
      if ([...refs.keys()].filter((one) => one.startsWith(DISCARDED)).length >= KEPT_DISCARDED) await forgetOldest();
      return { kind: "discarded", recoverableFrom: ref };
    },
  };
}

async function deleteRefs(git: Git, refs: readonly string[]): Promise<void> {
  if (refs.length > 0) await git.run(["update-ref", "--stdin"], { input: refs.map((ref) => `delete ${ref}\n`).join("") });
}

type Refs = ReadonlyMap<string, string>;

/** The refs of a tree and what they name: its branch, where it started, what is merged of it, its checkpoints; and others below `more`. */
async function refsOf({ git }: RepositoryContext, id: string, more: readonly string[] = []): Promise<Refs> {
  const asked = [branchRef(id), checkpointPrefix(id), baseRef(id), mergedRef(id), ...more];
  const said = await git.text(["for-each-ref", "--format=%(refname) %(objectname)", ...asked]);
  return new Map(
    said
      .split("\n")
      .flatMap((line): [string, string][] => (line === "" ? [] : [[line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]])),
  );
}

const hiddenRefs = (id: string, refs: Refs): string[] =>
  [...refs.keys()].filter((ref) => ref.startsWith(checkpointPrefix(id)) || ref === baseRef(id) || ref === mergedRef(id));

/** Whether anything of a tree is left, whole or half made. Git does not name a branch whose file says nothing. */
const isLeft = (context: RepositoryContext, id: string, top: string, refs: Refs): boolean =>
  hiddenRefs(id, refs).length > 0 ||
  refs.has(branchRef(id)) ||
  readSmall(path.join(context.commonDir, branchRef(id))) !== undefined ||
  lstatSync(top, { throwIfNoEntry: false }) !== undefined ||
  isRegistered(context, top);

/** The base goes first: whatever is left of a tree without one is nobody's, and goes before one of that name is made again. */
async function removeWhole(context: RepositoryContext, id: string, top: string, refs: Refs): Promise<void> {
  await deleteRefs(context.git, hiddenRefs(id, refs));
  await removeTree(context, id, top);
}

async function removeTree(context: RepositoryContext, id: string, top: string): Promise<void> {
  // Git lets go of a tree that is whole or gone, not of one that lost its mark.
  if (!existsSync(path.join(top, ".git"))) await rm(top, { recursive: true, force: true });
  await context.git.run(["worktree", "remove", "--force", "--force", top], { accept: [128] });
  await rm(top, { recursive: true, force: true });
  await freeBranch(context, id);
  await context.git.run(["update-ref", "-d", branchRef(id)]);
}

/** What a git that was killed on the way held; the branch is nobody else's. */
const freeBranch = ({ commonDir }: RepositoryContext, id: string): Promise<void> =>
  rm(path.join(commonDir, "refs/heads/sylk", `${id}.lock`), { force: true });

export async function createWorkTree(context: RepositoryContext, request: NewWorkTree): Promise<WorkTree> {
  const { id, signal } = request;
  if (!ID.test(id) || id.includes("..") || id.endsWith(".lock") || id.endsWith(".")) {
    throw new SylkError({ code: "WORKTREE_BAD_ID", tier: "permanent", message: `"${id}" cannot name a work tree` });
  }
  await mkdir(context.treesDir, { recursive: true });
  const top = path.join(await realpath(context.treesDir), id);
  const refs = await refsOf(context, id);
  if (refs.has(baseRef(id)) && (placeOf(context, id) !== undefined || existsSync(path.join(top, ".git")))) {
    throw new SylkError({
      code: "WORKTREE_EXISTS",
      tier: "permanent",
      message: `there is a work tree "${id}" already`,
      fix: "go on with it, or discard it first",
    });
  }
  const base = request.base ?? (await takeSnapshot(context.git, context.clock, { message: "base", signal })).commit;
  // Left by a run that was killed while it made the tree or took it away.
  if (isLeft(context, id, top, refs)) {
    if (request.apart !== true) await keepBranch(context, id);
    await removeWhole(context, id, top, refs);
  }
  const registered = await context.registering.take(signal);
  try {
    // Git makes the branch before the tree, and where it finds a lock of others after that it is asked again: the branch
    // may be there by then. It is done in a moment, and killed on the way it would leave its helpers behind at work.
    await context.git.run(["worktree", "add", "--quiet", "--no-checkout", "--no-track", "-B", `sylk/${id}`, top, base]);
  } finally {
    registered();
  }
  try {
    await checkOut(context, request, top);
    await setUp(context, request, top);
    await context.git.run(["update-ref", baseRef(id), base]);
    return attach(context, id, top, base);
  } catch (error) {
    await removeTree(context, id, top);
    throw error;
  }
}

/** Commits of a tree whose folder is gone, unless they are where it started. */
async function keepBranch({ git }: RepositoryContext, id: string): Promise<void> {
  const asked = ["rev-parse", "--verify", "--quiet"];
  const [last, base] = await Promise.all(
    [`${branchRef(id)}^{commit}`, baseRef(id)].map((ref) => git.text([...asked, ref], { accept: [1, 128] })),
  );
  if (last !== undefined && last !== "" && base !== "" && last !== base) await git.run(["update-ref", discardedRef(id, last), last]);
}

/** Its files, and the dependencies it reads. */
async function checkOut(context: RepositoryContext, request: NewWorkTree, top: string): Promise<void> {
  const { signal } = request;
  const checkedOut = await context.checkouts.take(signal);
  try {
    if (request.apart === true) await mkdir(objectsOf(must(gitIn(context, top).gitDir)));
    await gitIn(context, top).run(["reset", "--quiet", "--hard"], { signal, timeoutMs: CHECKOUT_TIMEOUT_MS });
    await linkDependencies(context.git, context.root, path.join(top, context.prefix), signal);
    context.linked.set(request.id, context.clock.monotonic());
  } finally {
    checkedOut();
  }
}

/** Whatever is not ignored would count as somebody's work and be merged. */
async function setUp(context: RepositoryContext, { id, signal }: NewWorkTree, top: string): Promise<void> {
  const make = context.setUp?.();
  if (make === undefined) return;
  const git = gitIn(context, top);
  const dirty = async (): Promise<string[]> =>
    splitZ((await git.run(["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"], { signal })).stdout);
  const before = new Set(await dirty());
  await make({ id, folder: path.join(top, context.prefix) }, signal);
  const changed = (await dirty()).filter((entry) => !before.has(entry)).map((entry) => entry.slice(3));
  if (changed.length === 0) return;
  throw new SylkError({
    code: "WORKTREE_SETUP_FAILED",
    tier: "user_fixable",
    message: `what makes a new work tree ready (worktree.setup) changed files that are not ignored: ${changed.slice(0, MAX_NAMED).join(", ")}${changed.length > MAX_NAMED ? `, and ${changed.length - MAX_NAMED} more` : ""}`,
    fix: "let it change only what git ignores, such as `npm ci` in place of `npm install`",
  });
}

export async function findWorkTrees(context: RepositoryContext): Promise<WorkTree[]> {
  const list = await context.git.text(["worktree", "list", "--porcelain", "-z"]);
  const bases = new Map(
    (await context.git.text(["for-each-ref", "--format=%(refname) %(objectname)", "refs/sylk/base/"]))
      .split("\n")
      .map((line) => [line.split(" ")[0]?.slice("refs/sylk/base/".length) ?? "", line.split(" ")[1] ?? ""]),
  );
  const trees: WorkTree[] = [];
  for (const record of list.split("\0\0")) {
    const said = (start: string): string | undefined =>
      record
        .split("\0")
        .find((line) => line.startsWith(start))
        ?.slice(start.length);
    const [top, id] = [said("worktree "), said("branch refs/heads/sylk/")];
    const base = id === undefined ? undefined : bases.get(id);
    if (top === undefined || id === undefined || base === undefined) continue;
    // Somebody removed its folder; what git still remembers of it is no tree.
    if (!existsSync(path.join(top, ".git"))) continue;
    const tree = await takeUp(context, id, top, base);
    if (tree !== undefined) trees.push(tree);
  }
  return trees;
}

/** A tree that is there already; what was installed since it was last looked at is linked too. */
async function takeUp(context: RepositoryContext, id: string, top: string, base: string): Promise<WorkTree | undefined> {
  const { clock, linked } = context;
  try {
    if (clock.monotonic() - (linked.get(id) ?? -Infinity) > LINK_AGAIN_MS) {
      await linkDependencies(context.git, context.root, path.join(top, context.prefix));
      linked.set(id, clock.monotonic());
    }
    return attach(context, id, top, base);
  } catch (error) {
    // Thrown away by whoever owns it while this was looked at.
    if (existsSync(path.join(top, ".git")) && !SylkError.is(error, "WORKTREE_LOST")) throw error;
    return undefined;
  }
}

/** Whether git has it that a tree stands there, whatever its name. */
function isRegistered({ commonDir }: RepositoryContext, top: string): boolean {
  const admin = path.join(commonDir, "worktrees");
  const mark = path.join(top, ".git");
  return existsSync(admin) && readdirSync(admin).some((one) => readSmall(path.join(admin, one, "gitdir")) === mark);
}

/** Where git has it that a tree of this name stands. */
function placeOf({ commonDir }: RepositoryContext, id: string): string | undefined {
  const admin = path.join(commonDir, "worktrees");
  if (!existsSync(admin)) return undefined;
  const name = readdirSync(admin).find((one) => readSmall(path.join(admin, one, "HEAD")) === `ref: refs/heads/sylk/${id}`);
  const mark = name === undefined ? undefined : readSmall(path.join(admin, name, "gitdir"));
  return mark === undefined || !existsSync(mark) ? undefined : path.dirname(mark);
}

export async function findWorkTree(context: RepositoryContext, id: string): Promise<WorkTree | undefined> {
  const top = placeOf(context, id);
  if (top === undefined) return undefined;
  const asked = ["rev-parse", "--verify", "--quiet", baseRef(id)];
  const base = readRef(context.commonDir, baseRef(id)) ?? (await context.git.text(asked, { accept: [1] }));
  // The base is written last: without it the tree is half made.
  return base === "" ? undefined : takeUp(context, id, top, base);
}

export async function dropWorkTree(context: RepositoryContext, id: string, { changed }: { changed: "keep" | "drop" }): Promise<void> {
  const whole = changed === "drop" ? undefined : await findWorkTree(context, id);
  if (whole !== undefined) {
    await whole.discard();
    return;
  }
  // The folder of all of them may be gone too; git knows this one by its real path.
  await mkdir(context.treesDir, { recursive: true });
  const top = path.join(await realpath(context.treesDir), id);
  const refs = await refsOf(context, id);
  if (isLeft(context, id, top, refs)) await removeWhole(context, id, top, refs);
  else await freeBranch(context, id);
}
