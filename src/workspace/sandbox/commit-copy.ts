/**
 * How a command commits without a hand on the repository: in a work tree of Sylk's it sees a copy of
 * what a commit writes (the tree's git folder, new objects, its own branch), and Sylk takes over what
 * the branch then says: each object under the name its own bytes give, then the branch, if nothing is
 * missing. Whatever else was written to the copy is thrown away.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { newId, type Clock } from "../../kernel/index.ts";
import { objectsOf, readSmall, type OwnTree } from "../git-folders.ts";
import { createGit, type Git } from "../git/git.ts";

export interface Mount {
  how: "--bind" | "--ro-bind";
  from: string;
  to: string;
}

const OBJECTS_INSIDE = "/tmp/.sylk-objects";
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const RACY_MARGIN_MS = 20;
const MAX_OBJECT_BYTES = 256 * 1024 * 1024;

const copyOf = (tree: OwnTree): string => path.join(tree.gitDir, "sylk-copy");
const branchOf = (tree: OwnTree): string => `refs/heads/sylk/${tree.id}`;

function gitOf(tree: OwnTree, clock: Clock): Git {
  return createGit(tree.top, clock, { GIT_DIR: tree.gitDir, GIT_COMMON_DIR: tree.commonDir, GIT_WORK_TREE: tree.top });
}

async function branchNow(tree: OwnTree, clock: Clock): Promise<string> {
  const loose = readSmall(path.join(tree.commonDir, branchOf(tree)));
  return loose !== undefined && OBJECT_ID.test(loose) ? loose : gitOf(tree, clock).text(["rev-parse", "--verify", branchOf(tree)]);
}

/** Folders that objects are also looked for in, as whole paths. */
function alternatesOf(objects: string): string[] {
  return (readSmall(path.join(objects, "info/alternates")) ?? "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => path.resolve(objects, line));
}

/** A fresh copy. */
async function make(tree: OwnTree, clock: Clock): Promise<void> {
  const copy = copyOf(tree);
  rmSync(copy, { recursive: true, force: true });
  for (const name of ["gitdir", "objects/info", "refs", "logs"]) mkdirSync(path.join(copy, name), { recursive: true, mode: 0o700 });
  const put = (name: string, text: string): void => writeFileSync(path.join(copy, name), `${text}\n`);
  put("gitdir/HEAD", `ref: ${branchOf(tree)}`);
  put("gitdir/commondir", "../..");
  put("gitdir/gitdir", path.join(tree.top, ".git"));
  put("objects/info/alternates", [OBJECTS_INSIDE, ...alternatesOf(path.join(tree.commonDir, "objects"))].join("\n"));
  const now = await branchNow(tree, clock);
  put(`refs/${tree.id}`, now);
  // Beside what the command sees: where the branch stood when the copy was made.
  put("from", now);
  const index = path.join(tree.gitDir, "index");
  const info = statSync(index, { throwIfNoEntry: false });
  if (info === undefined) return;
  copyFileSync(index, path.join(copy, "gitdir/index"), constants.COPYFILE_FICLONE);
  // Git believes file times older than the index: a newer copy would hide an edit of the same moment.
  utimesSync(path.join(copy, "gitdir/index"), info.atimeMs / 1_000, (info.mtimeMs - RACY_MARGIN_MS) / 1_000);
}

/** Content of an object file when its bytes are what its name says. */
function trueObject(file: string, id: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const info = fstatSync(fd);
    if (!info.isFile() || info.size > MAX_OBJECT_BYTES) return undefined;
    const bytes = readFileSync(fd);
    const plain = inflateSync(bytes, { maxOutputLength: 4 * MAX_OBJECT_BYTES });
    const found = createHash(id.length === 40 ? "sha1" : "sha256")
      .update(plain)
      .digest("hex");
    return found === id ? bytes : undefined;
  } catch {
    // Not a compressed object: it is left where it is.
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function takeObjects(tree: OwnTree, clock: Clock): void {
  const from = path.join(copyOf(tree), "objects");
  const to = path.join(tree.commonDir, "objects");
  for (const two of readdirSync(from).filter((name) => /^[0-9a-f]{2}$/u.test(name))) {
    if (lstatSync(path.join(from, two)).isDirectory() !== true) continue;
    for (const rest of readdirSync(path.join(from, two))) {
      const target = path.join(to, two, rest);
      if (!OBJECT_ID.test(two + rest) || existsSync(target)) continue;
      const bytes = trueObject(path.join(from, two, rest), two + rest);
      if (bytes === undefined) continue;
      mkdirSync(path.join(to, two), { recursive: true });
      const making = path.join(to, two, `tmp_obj_${newId("o", clock.now())}`);
      writeFileSync(making, bytes, { flag: "wx", mode: 0o444 });
      renameSync(making, target);
    }
  }
}

/** Takes over what was committed in the copy. True when the branch moved. */
async function takeCommits(tree: OwnTree, clock: Clock): Promise<boolean> {
  // What was written in a tree apart stays there.
  if (existsSync(objectsOf(tree.gitDir))) return false;
  const said = readSmall(path.join(copyOf(tree), "refs", tree.id));
  if (said === undefined || !OBJECT_ID.test(said)) return false;
  const before = await branchNow(tree, clock);
  // Moved by Sylk itself since: then the copy is old, and what it says of the branch with it.
  if (said === before || readSmall(path.join(copyOf(tree), "from")) !== before) return false;
  takeObjects(tree, clock);
  const git = gitOf(tree, clock);
  const whole = await git.run(["rev-list", "--objects", "--quiet", `${said}^{commit}`, "--not", before], { accept: [1, 128] });
  if (whole.code !== 0) return false;
  await git.run(["update-ref", branchOf(tree), said, before]);
  await git.run(["reset", "--quiet", "--mixed"], { accept: [1] });
  return true;
}

/** Copies in use, so that two commands in one tree share one. */
const inUse = new Map<string, { users: number; ready: Promise<void> }>();

export interface CommitCopy {
  mounts: Mount[];
  /** When the command has ended. */
  release(): Promise<void>;
}

export async function openCommitCopy(tree: OwnTree, clock: Clock): Promise<CommitCopy> {
  const used = inUse.get(tree.gitDir) ?? { users: 0, ready: takeCommits(tree, clock).then(() => make(tree, clock)) };
  used.users += 1;
  inUse.set(tree.gitDir, used);
  const leave = (): void => {
    used.users -= 1;
    if (used.users === 0) inUse.delete(tree.gitDir);
  };
  try {
    await used.ready;
  } catch (error) {
    leave();
    throw error;
  }
  const copy = copyOf(tree);
  const common = (name: string): string => path.join(tree.commonDir, name);
  for (const name of ["refs/heads/sylk", "logs"]) mkdirSync(common(name), { recursive: true });
  return {
    mounts: [
      { how: "--ro-bind", from: tree.commonDir, to: tree.commonDir },
      { how: "--ro-bind", from: common("objects"), to: OBJECTS_INSIDE },
      { how: "--bind", from: path.join(copy, "objects"), to: common("objects") },
      { how: "--bind", from: path.join(copy, "refs"), to: common("refs/heads/sylk") },
      { how: "--bind", from: path.join(copy, "logs"), to: common("logs") },
      { how: "--bind", from: path.join(copy, "gitdir"), to: tree.gitDir },
    ],
    async release() {
      try {
        await takeCommits(tree, clock);
      } finally {
        leave();
      }
    },
  };
}
