/**
 * The repository behind a project: the user's own, or a private shadow one where there is none
 * (CCY-037). In the user's repository Sylk adds only objects, `sylk/*` branches and refs under
 * `refs/sylk/`; the user's branch, index, stash and configuration are never changed.
 */
import { mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { SylkError, type Clock } from "../../kernel/index.ts";
import { createProcessSlots } from "../process/slots.ts";
import { gitDirOf, gitDirsOf, topOf } from "../git-folders.ts";
import { configPrint } from "./config-print.ts";
import { createFileTrack, type FileTrack } from "./file-track.ts";
import { createGit, type Git } from "./git.ts";
import { takeSnapshot, type Snapshot, type SnapshotOptions } from "./snapshot.ts";
import { createWorkTree, dropWorkTree, findWorkTree, findWorkTrees, gitIn, type NewWorkTree, type WorkTree } from "./work-tree.ts";
import { whatStands, type Standing } from "./what-stands.ts";
import type { RepositoryContext, SetUpTree } from "./repository-context.ts";

export interface RepositoryOptions {
  /** The project's root folder. */
  root: string;
  /** Where work trees and, without git, the shadow repository live; outside the project. */
  stateDir: string;
  clock: Clock;
  /** Done once in each new work tree before anybody works in it; a tree in which it fails does not come to be. */
  setUp?: (() => SetUpTree | undefined) | undefined;
}

export interface Repository {
  readonly kind: "git" | "shadow";
  readonly root: string;
  /** The project's tree as it is now, as a commit. */
  snapshot(options: SnapshotOptions): Promise<Snapshot>;
  createWorkTree(options: NewWorkTree): Promise<WorkTree>;
  /** Work trees left by earlier runs, to go on with or to discard. */
  workTrees(): Promise<WorkTree[]>;
  /** One of them. */
  workTree(id: string): Promise<WorkTree | undefined>;
  /** Removes what a killed process left of a tree, whole or half made; one that holds changes stays, unless nobody wants them. */
  dropWorkTree(id: string, options?: { changed: "keep" | "drop" }): Promise<void>;
  /** Notices what commands change in a folder of the project, or of a work tree of it. */
  track(folder: string, tree: string | undefined): Promise<FileTrack>;
  /** What a command would find in the project as a new copy of it stands, or in a work tree; undefined where nobody can tell. */
  stands(tree: string | undefined, signal: AbortSignal | undefined): Promise<Standing | undefined>;
  /** Paths changed in the project against its last commit. */
  status(): Promise<{ path: string; state: string }[]>;
}

const CHECKOUTS = 8;
const MAX_WAITING = 1_000;

async function isInside(git: Git): Promise<boolean> {
  const result = await git.run(["rev-parse", "--is-inside-work-tree"], { accept: [128] });
  if (result.code === 0) return result.stdout.toString().trim() === "true";
  if (/dubious ownership/iu.test(result.stderr)) {
    throw new SylkError({
      code: "GIT_NOT_TRUSTED",
      tier: "user_fixable",
      message: `${git.cwd} belongs to another user and git refuses it`,
      fix: `git config --global --add safe.directory ${git.cwd}`,
    });
  }
  return false;
}

/** Files that no work tree of a folder without git should carry. */
const SHADOW_IGNORES = [
  "node_modules/",
  ".venv/",
  "venv/",
  "__pycache__/",
  "target/",
  "dist/",
  "build/",
  ".sylk/",
  "*.log",
  ".DS_Store",
  ".env",
  ".env.*",
];

const shadowDir = (stateDir: string): string => path.join(stateDir, "shadow.git");

/**
 * Where everything of a repository is; asked once, named in every later call. A repository may say that its
 * files stand elsewhere (`core.worktree`), a folder above among them: one that does is not used.
 */
async function lookAt(git: Git): Promise<{ gitDir: string; commonDir: string; top: string; prefix: string } | undefined> {
  const said = await git.text(["rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel", "--show-prefix"]);
  const [gitDir = "", commonDir = "", top = "", prefix = ""] = said.split("\n");
  if (gitDirOf(path.join(top, ".git")) !== (await realpath(gitDir))) return undefined;
  return { gitDir, commonDir: await realpath(path.resolve(git.cwd, commonDir)), top, prefix };
}

async function openShadow(stateDir: string, clock: Clock): Promise<string> {
  const gitDir = shadowDir(stateDir);
  if (!existsSync(path.join(gitDir, "HEAD"))) {
    await mkdir(stateDir, { recursive: true });
    const plain = createGit(stateDir, clock);
    const making = `${gitDir}.${process.pid}`;
    try {
      await plain.run(["init", "--quiet", "--bare", making]);
      await plain.run(["--git-dir", making, "config", "core.bare", "false"]);
      await mkdir(path.join(making, "info"), { recursive: true });
      await writeFile(path.join(making, "info/exclude"), `${SHADOW_IGNORES.join("\n")}\n`);
      await rename(making, gitDir).catch((error: unknown) => {
        // Another process made it first.
        if (!existsSync(path.join(gitDir, "HEAD"))) throw error;
      });
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }
  return gitDir;
}

export async function openRepository(options: RepositoryOptions): Promise<Repository> {
  const root = await realpath(options.root);
  const own = createGit(root, options.clock);
  const found = (await isInside(own)) ? await lookAt(own) : undefined;
  const places =
    found === undefined
      ? { GIT_DIR: await openShadow(options.stateDir, options.clock), GIT_WORK_TREE: root }
      : { GIT_DIR: found.gitDir, GIT_COMMON_DIR: found.commonDir, GIT_WORK_TREE: found.top };
  const git = createGit(root, options.clock, places);
  const commonDir = found?.commonDir ?? (await realpath(shadowDir(options.stateDir)));
  const context: RepositoryContext = {
    git,
    root,
    prefix: found?.prefix ?? "",
    commonDir,
    treesDir: path.join(options.stateDir, "trees"),
    clock: options.clock,
    setUp: options.setUp,
    linked: new Map(),
    registering: createProcessSlots(1, MAX_WAITING),
    checkouts: createProcessSlots(CHECKOUTS, MAX_WAITING),
  };
  return {
    kind: found === undefined ? "shadow" : "git",
    root,
    snapshot: (snapshot) => takeSnapshot(git, options.clock, snapshot),
    createWorkTree: (request) => createWorkTree(context, request),
    workTrees: () => findWorkTrees(context),
    workTree: (id) => findWorkTree(context, id),
    dropWorkTree: (id, options = { changed: "keep" }) => dropWorkTree(context, id, options),
    async track(folder, tree) {
      const at = await realpath(folder);
      const top = tree === undefined ? places.GIT_WORK_TREE : path.join(await realpath(context.treesDir), tree);
      const inside = path.relative(await realpath(top), at);
      return createFileTrack({
        git: tree === undefined ? createGit(at, options.clock, places) : gitIn(context, top, at),
        prefix: inside === "" ? "" : `${inside}/`,
        ownIgnores: found === undefined,
        clock: options.clock,
      });
    },
    stands: async (tree, signal) =>
      whatStands(context, tree === undefined ? undefined : path.join(await realpath(context.treesDir), tree), signal),
    async status() {
      const result = await git.run(["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]);
      return result.stdout
        .toString()
        .split("\0")
        .filter((entry) => entry !== "")
        .map((entry) => ({ state: entry.slice(0, 2), path: entry.slice(3) }));
    },
  };
}

/** Which repository stands there, as far as files tell; undefined where they may change without a sign. */
async function standing({ root, stateDir, clock }: RepositoryOptions): Promise<string | undefined> {
  const top = topOf(await realpath(root));
  const dirs = top === undefined ? [] : gitDirsOf(path.join(top, ".git"));
  const print = configPrint(dirs, clock);
  return print === undefined ? undefined : [top ?? "", ...dirs, existsSync(path.join(shadowDir(stateDir), "HEAD")), print].join("\n");
}

/** Opened when it is first needed and kept, as long as it is the same one and nothing it is told has changed. */
export function keptRepository(options: RepositoryOptions): () => Promise<Repository> {
  let kept: { print: string; repository: Promise<Repository> } | undefined;
  return async () => {
    const print = await standing(options);
    if (kept !== undefined && kept.print === print) return kept.repository;
    const repository = openRepository(options);
    // Opening one may make the private repository of a folder without: what stands there is looked at after it.
    const made = await repository;
    const now = await standing(options);
    kept = now === undefined ? undefined : { print: now, repository };
    return made;
  };
}
