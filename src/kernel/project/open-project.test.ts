import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { findProject, openProject, sha256, type Dirs, type ProjectDirs, systemPaths } from "../index.ts";
import { projectKey } from "./project-key.ts";

interface Place {
  base: string;
  dirs: Dirs;
  open(folder: string): ProjectDirs;
  git(folder: string): string;
}

function place(): Place {
  const base = tempDir();
  const dirs = systemPaths.dirs({ env: { SYLK_HOME: path.join(base, "home") }, platform: process.platform });
  return {
    base,
    dirs,
    open: (folder) => openProject(path.join(base, folder), dirs),
    git(folder) {
      execFileSync("git", ["init", "-q", path.join(base, folder)]);
      return path.join(base, folder);
    },
  };
}

const marksIn = (folder: string): string[] => readdirSync(path.join(folder, ".git")).filter((name) => name.startsWith("sylk-project"));

function markIn(folder: string): string {
  const [mark, ...more] = marksIn(folder);
  expect(more).toEqual([]);
  return path.join(folder, ".git", mark ?? "no mark");
}

test("looking at a folder writes nothing into it, and claiming it only a mark into its git folder", () => {
  const { open, git, dirs } = place();
  const folder = git("a");
  const project = open("a");
  expect(project.private).toBe(path.join(dirs.data, "projects", project.id));
  expect(existsSync(project.private)).toBe(false);
  project.claim();
  expect(statSync(project.private).mode & 0o777).toBe(0o700);
  expect(execFileSync("git", ["-C", folder, "status", "--porcelain"]).toString()).toBe("");
  expect(open("a").id).toBe(project.id);
});

test("an id cannot be foreseen: another user's is another one for the same folder", () => {
  const { base, open, git } = place();
  git("a");
  const other = systemPaths.dirs({ env: { SYLK_HOME: path.join(base, "other") }, platform: process.platform });
  expect(openProject(path.join(base, "a"), other).id).not.toBe(open("a").id);
});

test("a renamed project is found again and says so, once it was used there and back", () => {
  const { base, open, git } = place();
  git("a");
  const first = open("a");
  first.claim();
  renameSync(path.join(base, "a"), path.join(base, "b"));
  const moved = open("b");
  expect(moved).toMatchObject({ id: first.id, notices: [expect.stringContaining("was at")] });
  moved.claim();
  expect(open("b")).toMatchObject({ id: first.id, notices: [] });
  renameSync(path.join(base, "b"), path.join(base, "a"));
  const back = open("a");
  expect(back.id).toBe(first.id);
  back.claim();
  expect(open("a")).toMatchObject({ id: first.id, notices: [] });
});

test("a renamed folder without git is found again too", () => {
  const { base, open } = place();
  mkdirSync(path.join(base, "a"));
  const first = open("a");
  first.claim();
  renameSync(path.join(base, "a"), path.join(base, "b"));
  expect(open("b")).toMatchObject({ id: first.id, notices: [expect.stringContaining("was at")] });
});

test("two clones, and a copy with everything in it, are projects of their own", () => {
  const { base, open, git } = place();
  git("a");
  const first = open("a");
  first.claim();
  execFileSync("git", ["clone", "-q", path.join(base, "a"), path.join(base, "clone")], { stdio: "ignore" });
  cpSync(path.join(base, "a"), path.join(base, "copy"), { recursive: true });
  const ids = ["clone", "copy"].map((name) => {
    const project = open(name);
    project.claim();
    return project.id;
  });
  expect(new Set([first.id, ...ids]).size).toBe(3);
  expect(["a", "clone", "copy"].map((name) => open(name).id)).toEqual([first.id, ...ids]);
  expect(open("copy").notices).toEqual([]);
});

test("another clone in the same place is another project, and the old history is named", () => {
  const { base, open, git } = place();
  git("a");
  const first = open("a");
  first.claim();
  rmSync(path.join(base, "a"), { recursive: true });
  git("a");
  const second = open("a");
  expect(second.id).not.toBe(first.id);
  expect(second.notices).toEqual([expect.stringContaining(first.private)]);
});

test("R10: without its git folder a project stays itself, and another folder in its place is another project", () => {
  const { base, open, git } = place();
  git("a");
  const first = open("a");
  first.claim();
  rmSync(path.join(base, "a/.git"), { recursive: true });
  expect(open("a").id).toBe(first.id);
  renameSync(path.join(base, "a"), path.join(base, "gone"));
  mkdirSync(path.join(base, "a"));
  expect(open("a")).toMatchObject({ notices: [expect.stringContaining(first.private)] });
  expect(open("a").id).not.toBe(first.id);
});

test("M3: a clone in the place of a folder without git inherits nothing; git begun in the folder itself keeps everything", () => {
  const { base, open, git } = place();
  mkdirSync(path.join(base, "a"));
  const first = open("a");
  first.claim();
  git("a");
  expect(open("a")).toMatchObject({ id: first.id, notices: [] });
  renameSync(path.join(base, "a"), path.join(base, "gone"));
  git("a");
  const second = open("a");
  expect(second.notices).toEqual([expect.stringContaining(first.private)]);
  expect(second.id).not.toBe(first.id);
  second.claim();
  expect(open("a")).toMatchObject({ id: second.id, notices: [] });
});

test("a second user or home in the same git folder has a history of its own and leaves the first one's alone", () => {
  const { base, open, git } = place();
  const folder = git("a");
  const first = open("a");
  first.claim();
  const other = systemPaths.dirs({ env: { SYLK_HOME: path.join(base, "other") }, platform: process.platform });
  const theirs = openProject(folder, other);
  theirs.claim();
  expect(theirs.id).not.toBe(first.id);
  expect(open("a")).toMatchObject({ id: first.id, notices: [] });
  open("a").claim();
  expect(openProject(folder, other)).toMatchObject({ id: theirs.id, notices: [] });
  // Both are found again where the folder moves to.
  renameSync(folder, path.join(base, "b"));
  expect([open("b").id, openProject(path.join(base, "b"), other).id]).toEqual([first.id, theirs.id]);
});

test("the one mark of earlier versions still counts for whoever made it", () => {
  const { open, git } = place();
  const folder = git("a");
  const first = open("a");
  first.claim();
  renameSync(markIn(folder), path.join(folder, ".git", "sylk-project"));
  expect(open("a")).toMatchObject({ id: first.id, notices: [] });
  open("a").claim();
  rmSync(path.join(folder, ".git", "sylk-project"));
  expect(open("a").id).toBe(first.id);
});

test("a work tree of the person's own has its own history, and a new one does not inherit it", () => {
  const { base, open, git } = place();
  const main = git("a");
  const run = (...args: string[]) =>
    execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "ignore" });
  run("commit", "-q", "--allow-empty", "-m", "x");
  open("a").claim();
  run("worktree", "add", "-q", path.join(base, "tree"));
  const tree = open("tree");
  tree.claim();
  expect(tree.id).not.toBe(open("a").id);
  run("worktree", "remove", "--force", path.join(base, "tree"));
  run("worktree", "add", "-q", path.join(base, "other"));
  expect(open("other").id).not.toBe(tree.id);
});

test("a mark that a repository brings along leads nowhere", () => {
  const { base, open, git } = place();
  git("a");
  const first = open("a");
  first.claim();
  const mark = path.basename(markIn(path.join(base, "a")));
  rmSync(path.join(base, "a"), { recursive: true });
  const folder = git("b");
  writeFileSync(path.join(folder, ".git", mark), `${first.id} ${"0".repeat(64)}\n`);
  writeFileSync(path.join(folder, ".git", "sylk-project"), `${first.id} ${"0".repeat(64)}\n`);
  expect(open("b").id).not.toBe(first.id);
});

test("a `.git` file counts only when the folder it names points back", () => {
  const { base, open, git } = place();
  git("a");
  const first = open("a");
  first.claim();
  mkdirSync(path.join(base, "b"));
  writeFileSync(path.join(base, "b", ".git"), `gitdir: ${path.join(base, "a", ".git")}\n`);
  const other = open("b");
  other.claim();
  expect(other.id).not.toBe(first.id);
  expect(open("a").id).toBe(first.id);
});

test("a damaged record does not cost the history", () => {
  const { base, open, git } = place();
  git("a");
  const first = open("a");
  first.claim();
  writeFileSync(path.join(first.private, "project.json"), "{ torn");
  expect(open("a")).toMatchObject({ id: first.id, notices: [expect.stringContaining("unreadable")] });
  open("a").claim();
  expect(open("a").notices).toEqual([]);
  expect(readFileSync(path.join(first.private, "project.json"), "utf8")).toContain(path.join(base, "a"));
});

test("where earlier versions kept work trees and anchors, they stay", () => {
  const { base, open, git, dirs } = place();
  git("a");
  const old = path.join(dirs.data, "projects", sha256(path.join(base, "a")).slice(0, 16));
  mkdirSync(old, { recursive: true });
  const project = open("a");
  expect(project.private).toBe(old);
  project.claim();
  expect(open("a").private).toBe(old);
});

test("processes that meet a folder for the first time together agree on its id", () => {
  const { base, git } = place();
  git("a");
  const script = `import { openProject, systemPaths } from ${JSON.stringify(path.resolve("src/kernel/index.ts"))};
    const p = openProject(${JSON.stringify(path.join(base, "a"))}, systemPaths.dirs()); p.claim(); console.log(p.id);`;
  const env = { ...process.env, SYLK_HOME: path.join(base, "home") };
  const line = `for i in 1 2 3 4; do "$0" --input-type=module-typescript -e "$1" & done; wait`;
  const run = spawnSync("sh", ["-c", line, process.execPath, script], { env, encoding: "utf8" });
  expect({ ids: new Set(run.stdout.trim().split("\n")).size, lines: run.stdout.trim().split("\n").length, err: run.stderr }).toEqual({
    ids: 1,
    lines: 4,
    err: "",
  });
});

test("a `.sylk` that is a link or a file is not followed, and a private folder that is a link is refused", () => {
  const { base, open, dirs } = place();
  mkdirSync(path.join(base, "a"));
  mkdirSync(path.join(base, "elsewhere"));
  symlinkSync(path.join(base, "elsewhere"), path.join(base, "a", ".sylk"));
  const project = open("a");
  expect(project.notices).toEqual([expect.stringContaining("is a link")]);
  expect(project.config.startsWith(dirs.data)).toBe(true);
  symlinkSync(path.join(base, "elsewhere"), project.private);
  expect(() => project.claim()).toThrow(expect.objectContaining({ code: "PROJECT_FOLDER_FOREIGN" }));
});

test("a project is the nearest folder that shares something, is known or is under git", () => {
  const { base, open, dirs, git } = place();
  const dir = git("p");
  mkdirSync(path.join(dir, "a/b/c"), { recursive: true });
  const find = (from: string): string => findProject(path.join(base, from), dirs, path.join(base, "nobody"));
  expect(find("p/a/b/c")).toBe(dir);
  mkdirSync(path.join(dir, "a/.sylk"));
  expect(find("p/a/b/c")).toBe(path.join(dir, "a"));
  mkdirSync(path.join(base, "plain/sub"), { recursive: true });
  expect(find("plain/sub")).toBe(path.join(base, "plain/sub"));
  open("plain").claim();
  expect(find("plain/sub")).toBe(path.join(base, "plain"));
  expect(findProject(path.join(base, "plain/sub"), dirs, path.join(base, "plain"))).toBe(path.join(base, "plain/sub"));
});

test("C1: the user's key is readable by nobody else, and a mark or record that is no small regular file is not read", () => {
  const { base, open, git, dirs } = place();
  const folder = git("a");
  const first = open("a");
  first.claim();
  expect(statSync(path.join(dirs.data, "projects", "key")).mode & 0o777).toBe(0o600);
  const mark = markIn(folder);
  const text = readFileSync(mark, "utf8");
  // Right, but grown: nobody reads a file to its end to find that out.
  const record = path.join(first.private, "project.json");
  writeFileSync(record, readFileSync(record, "utf8").trimEnd() + " ".repeat(70_000));
  expect(open("a").notices).toEqual([expect.stringContaining("unreadable")]);
  open("a").claim();
  // Right, but elsewhere: a link in a git folder is not followed.
  rmSync(mark);
  writeFileSync(path.join(base, "kept"), text);
  symlinkSync(path.join(base, "kept"), mark);
  expect(open("a").id).not.toBe(first.id);
});

test("a folder without git that stands in the place of no other inherits nothing", () => {
  const { base, open } = place();
  mkdirSync(path.join(base, "a"));
  const first = open("a");
  first.claim();
  // Made before the other is gone, so that it cannot have its number.
  mkdirSync(path.join(base, "b"));
  rmSync(path.join(base, "a"), { recursive: true });
  expect(open("b")).toMatchObject({ id: expect.not.stringMatching(first.id), notices: [] });
});

test.runIf(process.getuid?.() === 0)("C1: what somebody else owns is neither read nor written: a shared, a private or a git folder", () => {
  const { base, open, git, dirs } = place();
  const give = (file: string): void => void execFileSync("chown", ["-R", "65534", file]);
  mkdirSync(path.join(base, "a/.sylk"), { recursive: true });
  give(path.join(base, "a/.sylk"));
  const shared = open("a");
  expect(shared.notices).toEqual([expect.stringContaining("belongs to somebody else")]);
  expect(shared.config.startsWith(dirs.data)).toBe(true);

  mkdirSync(shared.private, { recursive: true });
  give(shared.private);
  expect(() => shared.claim()).toThrow(expect.objectContaining({ code: "PROJECT_FOLDER_FOREIGN" }));

  const folder = git("b");
  give(path.join(folder, ".git"));
  open("b").claim();
  expect(marksIn(folder)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)("what somebody else put into a folder above does not make it a project", () => {
  const { base, dirs } = place();
  mkdirSync(path.join(base, "open/mine"), { recursive: true });
  for (const name of [".sylk", ".git"]) {
    mkdirSync(path.join(base, "open", name));
    execFileSync("chown", ["65534", path.join(base, "open", name)]);
  }
  chmodSync(path.join(base, "open"), 0o777);
  expect(findProject(path.join(base, "open/mine"), dirs, base)).toBe(path.join(base, "open/mine"));
});

test("a key that is there and cannot be read makes no project a new one", () => {
  const projects = path.join(tempDir("damaged-key"), "projects");
  const { name } = projectKey(projects);
  expect(projectKey(projects).name).toBe(name);
  const kept = readFileSync(path.join(projects, "key"));
  for (const damaged of ["", "00ff\n"]) {
    writeFileSync(path.join(projects, "key"), damaged);
    expect(() => projectKey(projects)).toThrow(/key, by which projects are known again, cannot be read or is damaged/);
  }
  writeFileSync(path.join(projects, "key"), kept);
  expect(projectKey(projects).name).toBe(name);
});
