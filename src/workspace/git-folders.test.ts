import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import { ownTreeOf, readSmall } from "./git-folders.ts";

interface Made {
  base: string;
  top: string;
  gitDir: string;
  commonDir: string;
}

const ID = "task1";

/** A work tree as Sylk makes them, by its files alone. */
function made(repository = "repo/.git"): Made {
  const base = tempDir();
  const [top, commonDir] = [path.join(base, "trees", ID), path.join(base, repository)];
  const gitDir = path.join(commonDir, "worktrees", ID);
  for (const folder of [top, gitDir, path.join(commonDir, "objects"), path.join(commonDir, "refs/heads")])
    mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(top, ".git"), `gitdir: ${gitDir}\n`);
  writeFileSync(path.join(gitDir, "HEAD"), `ref: refs/heads/sylk/${ID}\n`);
  writeFileSync(path.join(gitDir, "gitdir"), `${path.join(top, ".git")}\n`);
  writeFileSync(path.join(gitDir, "commondir"), "../..\n");
  return { base, top, gitDir, commonDir };
}

/** The place stays, by way of a link. */
function linked(place: string): void {
  renameSync(place, `${place}-real`);
  symlinkSync(`${place}-real`, place);
}

test("a work tree of Sylk's own is known from any folder in it", () => {
  const { top, gitDir, commonDir } = made();
  mkdirSync(path.join(top, "src"));
  for (const folder of [top, path.join(top, "src")]) expect(ownTreeOf(folder)).toEqual({ id: ID, gitDir, commonDir, top });
});

test.each<[string, (at: Made) => void]>([
  ["names a git folder that points elsewhere", ({ gitDir, base }) => writeFileSync(path.join(gitDir, "gitdir"), path.join(base, "x/.git"))],
  ["names a git folder that points nowhere", ({ gitDir }) => rmSync(path.join(gitDir, "gitdir"))],
  ["has another shared folder", ({ gitDir, base }) => writeFileSync(path.join(gitDir, "commondir"), path.join(base, "evil.git"))],
  ["has no shared folder", ({ gitDir }) => rmSync(path.join(gitDir, "commondir"))],
  ["is on a branch of the person's", ({ gitDir }) => writeFileSync(path.join(gitDir, "HEAD"), "ref: refs/heads/main\n")],
  ["is on another task's branch", ({ gitDir }) => writeFileSync(path.join(gitDir, "HEAD"), "ref: refs/heads/sylk/task2\n")],
  ["names a branch with a way out", ({ gitDir }) => writeFileSync(path.join(gitDir, "HEAD"), "ref: refs/heads/sylk/../task1\n")],
  ["names its git folder relatively", ({ top }) => writeFileSync(path.join(top, ".git"), `gitdir: ../../repo/.git/worktrees/${ID}\n`)],
  ["has more lines than one", ({ top, gitDir }) => writeFileSync(path.join(top, ".git"), `gitdir: ${gitDir}\nmore\n`)],
  ["is a link", ({ top }) => linked(path.join(top, ".git"))],
  ["has a linked git folder", ({ gitDir }) => linked(gitDir)],
  ["has linked objects", ({ commonDir }) => linked(path.join(commonDir, "objects"))],
  ["has linked branches", ({ commonDir }) => linked(path.join(commonDir, "refs/heads"))],
  ["is a pipe", ({ top }) => (rmSync(path.join(top, ".git")), execFileSync("mkfifo", [path.join(top, ".git")]))],
])("C3: a `.git` that %s is no work tree of Sylk's", (_what, change) => {
  const at = made();
  change(at);
  expect(ownTreeOf(at.top)).toBeUndefined();
});

test("C3: a repository that lies where commands write is none of Sylk's, however whole it looks", () => {
  expect(ownTreeOf(made(`trees/${ID}/evil/.git`).top)).toBeUndefined();
});

test("C3: a git folder that does not lie among work trees is none", () => {
  const at = made();
  const other = path.join(at.commonDir, "modules", ID);
  mkdirSync(path.dirname(other));
  renameSync(at.gitDir, other);
  writeFileSync(path.join(at.top, ".git"), `gitdir: ${other}\n`);
  expect(ownTreeOf(at.top)).toBeUndefined();
});

test("only small regular files are read, whole", () => {
  const dir = tempDir();
  const at = (name: string): string => path.join(dir, name);
  writeFileSync(at("small"), "text\n");
  writeFileSync(at("large"), "x".repeat(4_097));
  symlinkSync(at("small"), at("link"));
  execFileSync("mkfifo", [at("pipe")]);
  expect(["small", "large", "link", "pipe", ".", "none"].map((name) => readSmall(at(name)))).toEqual(["text", ...Array<undefined>(5)]);
});
