import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { putFiles, tempFolder } from "../../../test/support/temp-workspace.ts";
import { systemClock } from "../../kernel/index.ts";
import { createGit, type Git } from "./git.ts";
import { askedOnce } from "./object-answers.ts";
import { treeNow } from "./snapshot.ts";

interface Place {
  root: string;
  git: Git;
  /** Git as the user has it. */
  own(...args: string[]): string;
  /** The commands git was started with since it was last asked. */
  asked(): string[];
}

function place(files: Record<string, string>, extra: Record<string, string> = {}): Place {
  const base = tempFolder("answers");
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, bin, log] = [path.join(base, "project"), path.join(base, "bin"), path.join(base, "log")];
  putFiles(root, files);
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const own = (...args: string[]): string =>
    execFileSync(real, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  own("init", "-q", "-b", "main");
  own("config", "user.name", "Ada");
  own("config", "user.email", "ada@example.org");
  own("add", "-A");
  own("commit", "-qm", "first");
  mkdirSync(bin);
  writeFileSync(path.join(bin, "git"), `#!/bin/sh\necho "$*" >>'${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  writeFileSync(log, "");
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const gitDir = path.join(root, ".git");
  return {
    root,
    own,
    git: createGit(root, systemClock, { GIT_DIR: gitDir, GIT_COMMON_DIR: gitDir, GIT_WORK_TREE: root, ...extra }),
    asked() {
      const said = readFileSync(log, "utf8");
      writeFileSync(log, "");
      return said
        .split("\n")
        .map((line) => /\b(?:write-tree|cat-file|diff-tree)\b/u.exec(line)?.[0] ?? "")
        .filter((name) => name !== "");
    },
  };
}

const now = async ({ git }: Place): Promise<string> => (await treeNow(git, systemClock, {})).tree;

test("the tree of files that did not change is asked once; a change, an addition, a removal and the way back are each seen", async () => {
  const p = place({ "a.txt": "one\n", "b/c.txt": "two\n" });
  const first = await now(p);
  expect([first, p.asked()]).toEqual([p.own("rev-parse", "HEAD^{tree}"), ["write-tree"]]);
  expect([await now(p), p.asked()]).toEqual([first, []]);
  const truth = (): string => {
    p.own("add", "-A");
    const tree = p.own("write-tree");
    p.own("reset", "-q");
    return tree;
  };
  const steps: (() => void)[] = [
    () => writeFileSync(path.join(p.root, "a.txt"), "eno\n"),
    () => writeFileSync(path.join(p.root, "new.txt"), "new\n"),
    () => rmSync(path.join(p.root, "b/c.txt")),
    () => writeFileSync(path.join(p.root, ".gitignore"), "new.txt\n"),
    () => renameSync(path.join(p.root, "a.txt"), path.join(p.root, "d.txt")),
  ];
  const seen = [first];
  for (const step of steps) {
    step();
    const tree = await now(p);
    expect(tree).toBe(truth());
    expect(await now(p)).toBe(tree);
    seen.push(tree);
  }
  expect(new Set(seen).size).toBe(seen.length);
  p.own("reset", "-q", "--hard");
  p.own("clean", "-fdxq");
  expect(await now(p)).toBe(first);
});

test("a file that changed and has the size and the time it had is another tree", async () => {
  const p = place({ "a.txt": "one\n" });
  const first = await now(p);
  const file = path.join(p.root, "a.txt");
  const { atime, mtime } = statSync(file);
  writeFileSync(file, "two\n");
  utimesSync(file, atime, mtime);
  expect(await now(p)).not.toBe(first);
});

const looseOf = (p: Place, tree: string): string => path.join(p.root, ".git/objects", tree.slice(0, 2), tree.slice(2));

test("a tree that is no longer among git's objects is made again, whether it stood in a file or in a pack", async () => {
  const p = place({ "a.txt": "one\n" });
  writeFileSync(path.join(p.root, "a.txt"), "two\n");
  const tree = await now(p);
  rmSync(looseOf(p, tree));
  p.asked();
  expect([await now(p), p.asked(), existsSync(looseOf(p, tree))]).toEqual([tree, ["write-tree"], true]);

  p.own("add", "-A");
  p.own("commit", "-qm", "second");
  p.own("gc", "-q", "--prune=now");
  expect(existsSync(looseOf(p, tree))).toBe(false);
  const later = { ...systemClock, now: () => systemClock.now() + 60_000 };
  const packed = async (): Promise<string> => (await treeNow(p.git, later, {})).tree;
  expect([await packed(), await packed(), p.asked()]).toEqual([tree, tree, ["write-tree"]]);
  const index = path.join(p.root, ".git/index");
  const bytes = readFileSync(index);
  p.own("update-ref", "refs/heads/main", "HEAD~1");
  p.own("reflog", "expire", "--expire=now", "--all");
  p.own("read-tree", "HEAD");
  p.own("repack", "-adq");
  p.own("prune", "--expire=now");
  writeFileSync(index, bytes);
  expect(p.own("cat-file", "--batch-check", "--batch-all-objects")).not.toContain(tree);
  // Git itself says that it no longer has the file either.
  await expect(packed()).rejects.toMatchObject({ code: "GIT_FAILED" });
});

test("a store of its own that was taken away and made again has its trees anew", async () => {
  const p = place({ "a.txt": "one\n" });
  const gitDir = path.join(p.root, ".git");
  const own = path.join(gitDir, "sylk-objects");
  mkdirSync(own);
  const places = { GIT_DIR: gitDir, GIT_COMMON_DIR: gitDir, GIT_WORK_TREE: p.root };
  const apart = createGit(p.root, systemClock, {
    ...places,
    GIT_OBJECT_DIRECTORY: own,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(gitDir, "objects"),
  });
  writeFileSync(path.join(p.root, "held.txt"), "held out\n");
  const { tree } = await treeNow(apart, systemClock, {});
  expect([existsSync(path.join(own, tree.slice(0, 2), tree.slice(2))), existsSync(looseOf(p, tree))]).toEqual([true, false]);
  const blob = p.own("hash-object", "held.txt");
  expect((await askedOnce(apart, ["cat-file", "blob"], [blob])).toString()).toBe("held out\n");
  await expect(askedOnce(p.git, ["cat-file", "blob"], [blob])).rejects.toMatchObject({ code: "GIT_FAILED" });
  rmSync(own, { recursive: true });
  mkdirSync(own);
  expect((await treeNow(apart, systemClock, {})).tree).toBe(tree);
  expect(existsSync(path.join(own, tree.slice(0, 2), tree.slice(2)))).toBe(true);
});

test("what is said of objects by their whole hash is asked once, and what names may mean something else each time", async () => {
  const p = place({ "a.txt": "one\n" });
  const [head, blob] = [p.own("rev-parse", "HEAD"), p.own("rev-parse", "HEAD:a.txt")];
  writeFileSync(path.join(p.root, "a.txt"), "two\n");
  const tree = await now(p);
  p.asked();
  const diff = (from: string): Promise<Buffer> => askedOnce(p.git, ["diff-tree", "-r", "--name-only"], [from, tree]);
  const first = await diff(head);
  expect(first.toString()).toBe("a.txt\n");
  first.fill(0);
  expect([(await diff(head)).toString(), p.asked()]).toEqual(["a.txt\n", ["diff-tree"]]);
  expect((await diff("HEAD")).toString()).toBe("a.txt\n");
  p.own("commit", "-qam", "second");
  expect([(await diff("HEAD")).toString(), (await diff(head)).toString(), p.asked()]).toEqual(["", "a.txt\n", ["diff-tree", "diff-tree"]]);
  const text = (): Promise<Buffer> => askedOnce(p.git, ["cat-file", "blob"], [blob]);
  expect([(await text()).toString(), (await text()).toString(), p.asked()]).toEqual(["one\n", "one\n", ["cat-file"]]);
});
