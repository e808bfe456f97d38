import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { putFiles, tempFolder, tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { systemClock } from "../../kernel/index.ts";
import { dependencySources } from "./link-dependencies.ts";
import { keptRepository, openRepository, type Repository, type RepositoryOptions } from "./open-repository.ts";

interface Project extends Disposable {
  base: string;
  root: string;
  git(...args: string[]): string;
  open(more?: Pick<RepositoryOptions, "setUp">): Promise<Repository>;
  read(name: string): string;
}

function project(files: Record<string, string>, options: { git?: boolean } = {}): Project {
  const base = tempFolder("git");
  const root = path.join(base, "project");
  mkdirSync(root);
  putFiles(root, files);
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  if (options.git !== false) {
    git("init", "-q", "-b", "main");
    git("config", "user.name", "Ada");
    git("config", "user.email", "ada@example.org");
    git("add", "-A");
    git("commit", "-qm", "first");
  }
  return {
    base,
    root,
    git,
    open: (more = {}) => openRepository({ root, stateDir: path.join(base, "state"), clock: systemClock, ...more }),
    read: (name) => readFileSync(path.join(root, name), "utf8"),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

test("~CCY-030 CCY-037: a work tree starts from the project as it is, uncommitted and untracked files included; the project is not touched", async () => {
  using p = project({ "a.txt": "one\n", "b.txt": "two\n", ".gitignore": "secret\n", secret: "s" });
  writeFileSync(path.join(p.root, "a.txt"), "one, edited\n");
  writeFileSync(path.join(p.root, "new.txt"), "untracked\n");
  rmSync(path.join(p.root, "b.txt"));
  const before = [p.git("status", "--porcelain"), p.git("rev-parse", "HEAD"), p.git("stash", "list"), p.git("diff", "--cached")];
  const repository = await p.open();
  const tree = await repository.createWorkTree({ id: "work-1" });
  expect(repository.kind).toBe("git");
  expect(readFileSync(path.join(tree.path, "a.txt"), "utf8")).toBe("one, edited\n");
  expect(readFileSync(path.join(tree.path, "new.txt"), "utf8")).toBe("untracked\n");
  expect(existsSync(path.join(tree.path, "b.txt"))).toBe(false);
  expect(existsSync(path.join(tree.path, "secret"))).toBe(false);
  expect(await tree.changes()).toEqual([]);
  expect([p.git("status", "--porcelain"), p.git("rev-parse", "HEAD"), p.git("stash", "list"), p.git("diff", "--cached")]).toEqual(before);
  expect(p.git("branch", "--list", "sylk/*")).toContain("sylk/work-1");
});

test("~CCY-031: parallel work trees do not see each other", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  const { commit } = await repository.snapshot({ message: "base" });
  const trees = await Promise.all([1, 2, 3, 4].map((n) => repository.createWorkTree({ id: `w${n}`, base: commit })));
  for (const tree of trees) writeFileSync(path.join(tree.path, "a.txt"), tree.id);
  expect(trees.map((tree) => readFileSync(path.join(tree.path, "a.txt"), "utf8"))).toEqual(["w1", "w2", "w3", "w4"]);
  expect(p.read("a.txt")).toBe("one\n");
});

test("checkpoints are hidden refs, and any of them can be restored, also after later changes", async () => {
  using p = project({ "a.txt": "one\n", "b.txt": "keep\n", ".gitignore": "cache/\n" });
  const tree = await (await p.open()).createWorkTree({ id: "w" });
  writeFileSync(path.join(tree.path, "a.txt"), "two\n");
  writeFileSync(path.join(tree.path, "c.txt"), "new\n");
  chmodSync(path.join(tree.path, "c.txt"), 0o755);
  const first = await tree.checkpoint("first try");
  writeFileSync(path.join(tree.path, "a.txt"), "three\n");
  rmSync(path.join(tree.path, "c.txt"));
  rmSync(path.join(tree.path, "b.txt"));
  putFiles(tree.path, { "d/e.txt": "more\n", "cache/x": "ignored\n" });
  const { before, changed } = await tree.restore(first);
  expect(changed.sort()).toEqual(["a.txt", "b.txt", "c.txt", "d/e.txt"]);
  expect(readFileSync(path.join(tree.path, "a.txt"), "utf8")).toBe("two\n");
  expect(readFileSync(path.join(tree.path, "b.txt"), "utf8")).toBe("keep\n");
  expect(statSync(path.join(tree.path, "c.txt")).mode & 0o111).not.toBe(0);
  expect(existsSync(path.join(tree.path, "d/e.txt"))).toBe(false);
  expect(existsSync(path.join(tree.path, "cache/x"))).toBe(true);
  await tree.restore(before);
  expect(readFileSync(path.join(tree.path, "a.txt"), "utf8")).toBe("three\n");
  expect(readFileSync(path.join(tree.path, "d/e.txt"), "utf8")).toBe("more\n");
  expect((await tree.checkpoints()).map((point) => [point.number, point.label])).toEqual([
    [1, "first try"],
    [2, "before restore"],
    [3, "before restore"],
  ]);
  expect(p.git("branch", "--all")).not.toContain("checkpoint");
});

test("~GIT-015: a commit takes only the named files, in the user's name, on the private branch", async () => {
  using p = project({ "a.txt": "one\n", "b.txt": "two\n" });
  const head = p.git("rev-parse", "HEAD");
  const tree = await (await p.open()).createWorkTree({ id: "w" });
  writeFileSync(path.join(tree.path, "a.txt"), "1\n");
  writeFileSync(path.join(tree.path, "b.txt"), "2\n");
  writeFileSync(path.join(tree.path, "c*.txt"), "3\n");
  const done = await tree.commit({ message: "fix: a", paths: ["a.txt", "c*.txt"] });
  expect(done).toMatchObject({ kind: "committed", files: ["a.txt", "c*.txt"] });
  expect(p.git("log", "-1", "--format=%an <%ae> %s", "sylk/w")).toBe("Ada <ada@example.org> fix: a");
  expect(await tree.commit({ message: "nothing", paths: ["a.txt"] })).toEqual({ kind: "nothing_to_commit" });
  expect((await tree.changes()).map((change) => [change.path, change.status])).toEqual([
    ["a.txt", "modified"],
    ["b.txt", "modified"],
    ["c*.txt", "added"],
  ]);
  expect((await tree.diff()).text).toContain("-one\n+1\n");
  expect(p.git("rev-parse", "HEAD")).toBe(head);
});

test("what differs is told file by file, by names as they are and as text, whatever a name, an attribute or the contents say", async () => {
  using p = project({ "a.txt": "one\n", "b.lock": "moved\n".repeat(30), ".gitattributes": "q.js -diff\n", link: "x\n" });
  const repository = await p.open();
  const tree = await repository.createWorkTree({ id: "w" });
  const odd = "src/a\ndiff --git a/x b/x.js";
  rmSync(path.join(tree.path, "b.lock"));
  rmSync(path.join(tree.path, "link"));
  symlinkSync("a.txt", path.join(tree.path, "link"));
  putFiles(tree.path, {
    "a.txt": "one\n/* \u2028diff --git a/b b/b\r@@ */\nmore()\n",
    "big.lock": "pkg sha512-abcdefghijklmnopqrstuvwxyz\n".repeat(9_000),
    "huge.bin": "x".repeat(5 * 1024 * 1024),
    "moved.js": "moved\n".repeat(30),
    "nul.js": "// \0\nrun()\n",
    "q.js": "run()\n",
    [odd]: "run()\n",
    "zz.js": "run()\n",
  });
  const found = new Map((await tree.fileDiffs()).map(({ path: file, text }) => [file, text]));
  expect([...found.keys()]).toEqual(["a.txt", "b.lock", "big.lock", "huge.bin", "link", "moved.js", "nul.js", "q.js", odd, "zz.js"]);
  for (const file of ["nul.js", "q.js", odd, "zz.js"]) expect(found.get(file)).toMatch(/^diff --git [^]*\n\+run\(\)\n$/u);
  expect(found.get("a.txt")?.endsWith("+/* \u2028diff --git a/b b/b\r@@ */\n+more()\n")).toBe(true);
  expect(found.get("moved.js")).toContain("+moved\n+moved\n");
  expect(found.get("link")).toMatch(/\n-x\n[^]*\n\+a\.txt\n/u);
  expect(found.get("big.lock")?.length).toBeGreaterThan(256 * 1024);
  expect(found.get("huge.bin")).toBeUndefined();
});

test("hooks of the repository are not run by Sylk's own git", async () => {
  using p = project({ "a.txt": "one\n" });
  const hook = path.join(p.root, ".git/hooks/post-checkout");
  writeFileSync(hook, `#!/bin/sh\ntouch ${p.base}/hooked\n`);
  chmodSync(hook, 0o755);
  const tree = await (await p.open()).createWorkTree({ id: "w" });
  writeFileSync(path.join(tree.path, "a.txt"), "1\n");
  await tree.commit({ message: "feat: x" });
  expect(existsSync(path.join(p.base, "hooked"))).toBe(false);
});

test("dependencies are linked, and what the work tree installs or caches stays in it", async () => {
  using p = project({ ".gitignore": "node_modules/\n.venv/\n.env.local\n", ".worktreeinclude": ".env.local\n", "package.json": "{}" });
  putFiles(p.root, {
    "node_modules/left/index.js": "left",
    "node_modules/@scope/right/index.js": "right",
    "node_modules/.vite/cache": "old",
    ".venv/bin/python": "#!",
    ".env.local": "A=1\n",
  });
  symlinkSync("../left/index.js", path.join(p.root, "node_modules/bin-link"));
  const tree = await (await p.open()).createWorkTree({ id: "w" });
  expect(readFileSync(path.join(tree.path, "node_modules/@scope/right/index.js"), "utf8")).toBe("right");
  expect(readFileSync(path.join(tree.path, ".venv/bin/python"), "utf8")).toBe("#!");
  expect(readFileSync(path.join(tree.path, ".env.local"), "utf8")).toBe("A=1\n");
  expect(lstatSync(path.join(tree.path, "node_modules")).isDirectory()).toBe(true);
  putFiles(tree.path, { "node_modules/.vite/cache": "mine", "node_modules/added/index.js": "x" });
  rmSync(path.join(tree.path, "node_modules/left"));
  expect(p.read("node_modules/.vite/cache")).toBe("old");
  expect(p.read("node_modules/left/index.js")).toBe("left");
  expect(existsSync(path.join(p.root, "node_modules/added"))).toBe(false);
  expect(await tree.changes()).toEqual([]);
  using t = tempWorkspace({}, { root: tree.path });
  symlinkSync("/etc/passwd", path.join(tree.path, "node_modules/planted"));
  expect(await t.workspace.files.read({ path: "node_modules/@scope/right/index.js" })).toMatchObject({
    kind: "text",
    lines: [{ text: "right" }],
  });
  expect(await t.workspace.files.read({ path: "node_modules/planted" })).toMatchObject({ kind: "outside" });
  expect(await t.workspace.files.apply([{ kind: "write", path: "node_modules/@scope/right/index.js", content: "x" }])).toMatchObject({
    kind: "outside",
  });
  expect(
    dependencySources(tree.path)
      .map((source) => path.basename(source))
      .sort(),
  ).toEqual([".venv", "node_modules"]);
});

test("generated source that is ignored comes along; data, secrets, large files and what stands in ignored folders does not", async () => {
  using p = project({
    "src/a.py": "from ._version import v\n",
    ".gitignore": "_version.py\nsecrets.py\n.env\nkeys.json\nbuild/\nbig.js\nout.js\nalias.py\ngen.rb\n",
  });
  putFiles(p.root, {
    "src/_version.py": "v = 1\n",
    "src/secrets.py": "KEY = 1\n",
    ".env": "A=1\n",
    "keys.json": "{}",
    "build/x.js": "x",
    "big.js": "x".repeat(300_000),
  });
  symlinkSync(path.join(p.base, "elsewhere.js"), path.join(p.root, "out.js"));
  symlinkSync("src/_version.py", path.join(p.root, "alias.py"));
  writeFileSync(path.join(p.root, "gen.rb"), "1\n", { mode: 0o700 });
  const tree = await (await p.open()).createWorkTree({ id: "w" });
  expect(readFileSync(path.join(tree.path, "src/_version.py"), "utf8")).toBe("v = 1\n");
  for (const name of ["src/secrets.py", ".env", "keys.json", "build", "big.js", "out.js", "alias.py"])
    expect(existsSync(path.join(tree.path, name))).toBe(false);
  expect(lstatSync(path.join(tree.path, "gen.rb")).mode & 0o777).toBe(0o700);
  expect(await tree.changes()).toEqual([]);
});

test("a folder without git gets a private shadow repository and stays free of traces", async () => {
  using p = project({ "a.txt": "one\n", "node_modules/x/i.js": "", ".env": "SECRET=1" }, { git: false });
  const repository = await p.open();
  const tree = await repository.createWorkTree({ id: "w" });
  expect(repository.kind).toBe("shadow");
  expect(existsSync(path.join(tree.path, ".env"))).toBe(false);
  writeFileSync(path.join(tree.path, "a.txt"), "two\n");
  const point = await tree.checkpoint("x");
  expect((await tree.changes()).map((change) => change.path)).toEqual(["a.txt"]);
  await tree.restore(tree.base);
  expect(readFileSync(path.join(tree.path, "a.txt"), "utf8")).toBe("one\n");
  await tree.restore(point);
  expect(existsSync(path.join(p.root, ".git"))).toBe(false);
  expect((await (await p.open()).workTrees()).map((found) => found.id)).toEqual(["w"]);
});

test("a project in a folder of a larger repository works in the same folder of its work tree", async () => {
  using p = project({ "packages/app/a.txt": "one\n", "other/b.txt": "two\n" });
  const repository = await openRepository({
    root: path.join(p.root, "packages/app"),
    stateDir: path.join(p.base, "state"),
    clock: systemClock,
  });
  const tree = await repository.createWorkTree({ id: "w" });
  expect(tree.path.endsWith("/w/packages/app/") || tree.path.endsWith("/w/packages/app")).toBe(true);
  writeFileSync(path.join(tree.path, "a.txt"), "changed\n");
  expect((await tree.changes()).map((change) => change.path)).toEqual(["a.txt"]);
});

test("an empty repository without a first commit can be worked in", async () => {
  using p = project({}, { git: false });
  p.git("init", "-q");
  writeFileSync(path.join(p.root, "a.txt"), "one\n");
  const tree = await (await p.open()).createWorkTree({ id: "w" });
  expect(readFileSync(path.join(tree.path, "a.txt"), "utf8")).toBe("one\n");
});

test("~CCY-032: work that was not merged is kept unless asked, and stays reachable when thrown away", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  const clean = await repository.createWorkTree({ id: "clean" });
  expect(await clean.discard()).toEqual({ kind: "discarded", recoverableFrom: undefined });
  expect(existsSync(clean.path)).toBe(false);
  const dirty = await repository.createWorkTree({ id: "dirty" });
  writeFileSync(path.join(dirty.path, "a.txt"), "precious\n");
  expect(await dirty.discard()).toEqual({ kind: "kept", reason: "1 changed files were never merged", changed: ["a.txt"] });
  const gone = await dirty.discard({ force: true });
  if (gone.kind !== "discarded" || gone.recoverableFrom === undefined) throw new Error("not recoverable");
  expect(p.git("show", `${gone.recoverableFrom}:a.txt`)).toBe("precious");
  expect(p.git("branch", "--list", "sylk/*")).toBe("");
  expect(p.git("for-each-ref", "refs/sylk/base", "refs/sylk/checkpoints")).toBe("");
});

test("huge untracked files are left out of snapshots and named", async () => {
  using p = project({ "a.txt": "one\n" });
  writeFileSync(path.join(p.root, "dump.bin"), Buffer.alloc(2_000));
  const snapshot = await (await p.open()).snapshot({ message: "s", maxUntrackedBytes: 1_000 });
  expect(snapshot.skipped).toEqual(["dump.bin"]);
  expect(p.git("ls-tree", "--name-only", snapshot.commit)).toBe("a.txt");
});

test("names that could leave the folder of work trees or break git are refused", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  for (const id of ["../x", "a/b", "", ".hidden", "a..b", "x.lock", "-b", "a b", "x."])
    await expect(repository.createWorkTree({ id })).rejects.toMatchObject({ code: "WORKTREE_BAD_ID" });
  await repository.createWorkTree({ id: "same" });
  await expect(repository.createWorkTree({ id: "same" })).rejects.toMatchObject({ code: "WORKTREE_EXISTS" });
});

test("what a run killed while making a work tree left behind does not stand in the way", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  const left = path.join(p.base, "state/trees/half");
  p.git("worktree", "add", "-q", "--no-checkout", "-b", "sylk/half", left);
  const tree = await repository.createWorkTree({ id: "half" });
  expect(readFileSync(path.join(tree.path, "a.txt"), "utf8")).toBe("one\n");
  p.git("branch", "sylk/bare-branch");
  mkdirSync(path.join(p.base, "state/trees/bare-branch"));
  writeFileSync(path.join(p.base, "state/trees/bare-branch/debris"), "");
  const second = await repository.createWorkTree({ id: "bare-branch" });
  expect(existsSync(path.join(second.path, "debris"))).toBe(false);
  expect((await repository.workTrees()).map((found) => found.id).sort()).toEqual(["bare-branch", "half"]);
});

const PARTS = ["folder", "registration", "branch", "base"] as const;
const subsets = Array.from({ length: 2 ** PARTS.length }, (_value, bits) => {
  const left = PARTS.filter((_part, at) => (bits & (1 << at)) !== 0);
  return { left, name: left.join(", ") || "nothing" };
});
const stands = ({ left }: (typeof subsets)[number]): boolean => left.includes("folder") && left.includes("base");

/** A tree with work that is committed, of which only these parts are left. */
async function partlyRemoved(p: Project, left: readonly string[]) {
  const repository = await p.open();
  const old = await repository.createWorkTree({ id: "w" });
  writeFileSync(path.join(old.path, "a.txt"), "built\n");
  await old.commit({ message: "built" });
  await old.checkpoint("before");
  const built = await old.head();
  await old.markMerged(built);
  if (!left.includes("folder")) rmSync(old.path, { recursive: true });
  if (!left.includes("registration")) rmSync(path.join(p.root, ".git/worktrees/w"), { recursive: true });
  if (!left.includes("branch")) p.git("update-ref", "-d", "refs/heads/sylk/w");
  if (!left.includes("base")) p.git("update-ref", "-d", "refs/sylk/base/w");
  return { repository, old, built };
}

test.each(subsets.filter((one) => !stands(one)))("of a tree only this is left: $name; it is made again as new", async ({ left }) => {
  using p = project({ "a.txt": "one\n" });
  const { repository, built } = await partlyRemoved(p, left);
  const tree = await repository.createWorkTree({ id: "w" });
  expect([readFileSync(path.join(tree.path, "a.txt"), "utf8"), await tree.changes(), await tree.checkpoints()]).toEqual(["one\n", [], []]);
  expect(p.git("for-each-ref", "refs/sylk/merged")).toBe("");
  // What stood on its branch, and nobody threw away, can be had again.
  const kept = p.git("for-each-ref", "--format=%(objectname)", "refs/sylk/discarded");
  expect(kept).toBe(left.includes("branch") && left.includes("base") ? built : "");
  await tree.discard();
  expect([p.git("worktree", "list").split("\n").length, p.git("branch", "--list", "sylk/*")]).toEqual([1, ""]);
});

test.each(subsets.filter(stands))(
  "of a tree this is left: $name; its files are there, and nobody makes it again over them",
  async ({ left }) => {
    using p = project({ "a.txt": "one\n" });
    const { repository, old } = await partlyRemoved(p, left);
    await expect(repository.createWorkTree({ id: "w" })).rejects.toMatchObject({ code: "WORKTREE_EXISTS" });
    expect(readFileSync(path.join(old.path, "a.txt"), "utf8")).toBe("built\n");
  },
);

test.each(["update-ref --stdin", "worktree remove", "update-ref -d"])(
  "a tree whose removal was cut off at `git %s` is whole or none, and the next to remove it leaves nothing",
  async (last) => {
    using p = project({ "a.txt": "one\n" });
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const bin = path.join(p.base, "bin");
    mkdirSync(bin);
    // From this command on nothing comes about any more, until it is alive again.
    writeFileSync(
      path.join(bin, "git"),
      `#!/bin/sh\ncase " $* " in *" ${last} "*) [ -e '${bin}/alive' ] || touch '${bin}/dead';; esac\n[ -e '${bin}/dead' ] && exit 77\nexec '${real}' "$@"\n`,
      { mode: 0o755 },
    );
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const tree = await (await p.open()).createWorkTree({ id: "w" });
    await expect(tree.discard()).rejects.toMatchObject({ code: expect.stringContaining("GIT") });
    rmSync(path.join(bin, "dead"));
    writeFileSync(path.join(bin, "alive"), "");
    const again = await p.open();
    expect((await again.workTree("w"))?.path).toBe(last === "update-ref --stdin" ? tree.path : undefined);
    await again.dropWorkTree("w");
    const refs = p.git("for-each-ref", "refs/sylk", "refs/heads/sylk");
    expect([p.git("worktree", "list").split("\n").length, refs, existsSync(tree.path)]).toEqual([1, "", false]);
  },
);

test("a work tree is made though git met a lock of others after it had made the branch", async () => {
  using p = project({ "a.txt": "one\n" });
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const bin = path.join(p.base, "bin");
  mkdirSync(bin);
  // Stops once where parallel trees meet: the branch is there, the tree is not.
  writeFileSync(
    path.join(bin, "git"),
    `#!/bin/sh
case " $* " in *" worktree add "*)
  if [ ! -e '${bin}/met' ]; then
    touch '${bin}/met'
    '${real}' branch sylk/w
    echo "fatal: failed to read worktrees/other/commondir: Success" >&2
    exit 128
  fi;;
esac
exec '${real}' "$@"
`,
    { mode: 0o755 },
  );
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const tree = await (await p.open()).createWorkTree({ id: "w" });
  expect(existsSync(path.join(bin, "met"))).toBe(true);
  expect(readFileSync(path.join(tree.path, "a.txt"), "utf8")).toBe("one\n");
});

test("V10: a branch that a killed git was about to remove is removed by the next, its lock too", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  await repository.createWorkTree({ id: "work-1" });
  const lock = path.join(p.root, ".git/refs/heads/sylk/work-1.lock");
  writeFileSync(lock, "");
  await repository.dropWorkTree("work-1");
  expect(existsSync(lock)).toBe(false);
  expect(p.git("branch", "--list", "sylk/*")).toBe("");
});

test("dropping a tree that never was changes nothing, and leaves the user's branches that begin like it", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  p.git("branch", "sylk/work-1/mine");
  const before = p.git("for-each-ref");
  await repository.dropWorkTree("work-1", { changed: "drop" });
  await repository.dropWorkTree("work-1");
  expect(p.git("for-each-ref")).toBe(before);
});

test("dropping a tree takes away a link that leads nowhere, and does not pass over a branch that git cannot read", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  const tree = await repository.createWorkTree({ id: "work-1" });
  await repository.dropWorkTree("work-1");
  symlinkSync(path.join(p.base, "nowhere"), tree.path);
  await repository.dropWorkTree("work-1", { changed: "drop" });
  expect(lstatSync(tree.path, { throwIfNoEntry: false })).toBeUndefined();
  const branch = path.join(p.root, ".git/refs/heads/sylk/work-1");
  mkdirSync(path.dirname(branch), { recursive: true });
  writeFileSync(branch, "");
  await expect(repository.dropWorkTree("work-1", { changed: "drop" })).rejects.toMatchObject({ code: "GIT_FAILED" });
});

test("a commit made where a command let go of the branch is named as it is, not as the branch", async () => {
  using p = project({ "a.txt": "one\n" });
  const tree = await (await p.open()).createWorkTree({ id: "work-1" });
  execFileSync("git", ["checkout", "-q", "--detach"], { cwd: tree.path });
  writeFileSync(path.join(tree.path, "a.txt"), "two\n");
  const done = await tree.commit({ message: "second" });
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: tree.path, encoding: "utf8" }).trim();
  expect(done).toEqual({ kind: "committed", commit: head, files: ["a.txt"] });
  expect(p.git("rev-parse", "sylk/work-1")).toBe(tree.base);
});

test("settings of one tree alone are heeded in that tree: a filter it names is not run", async () => {
  using p = project({ "a.txt": "one\n", ".gitattributes": "* filter=x\n" });
  p.git("config", "extensions.worktreeConfig", "true");
  const repository = await p.open();
  const [plain, odd] = [await repository.createWorkTree({ id: "plain" }), await repository.createWorkTree({ id: "odd" })];
  const ran = path.join(p.base, "ran");
  const program = `sh -c 'touch ${ran}; cat'`;
  execFileSync("git", ["config", "--worktree", "filter.x.clean", program], { cwd: odd.path });
  for (const tree of [plain, odd, plain, odd]) {
    writeFileSync(path.join(tree.path, "a.txt"), `${tree.id}\n`);
    expect((await tree.changes()).map((change) => change.path)).toEqual(["a.txt"]);
  }
  expect(existsSync(ran)).toBe(false);
});

test("of what was thrown away the last two hundred can be had again", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  const env = { ...process.env, GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z" };
  const long = execFileSync("git", ["commit-tree", "HEAD^{tree}", "-m", "long ago"], { cwd: p.root, env, encoding: "utf8" }).trim();
  const made = Array.from({ length: 200 }, (_value, at) => `create refs/sylk/discarded/old-${at} ${long}\n`).join("");
  execFileSync("git", ["update-ref", "--stdin"], { cwd: p.root, input: made });
  const tree = await repository.createWorkTree({ id: "work-1" });
  writeFileSync(path.join(tree.path, "a.txt"), "two\n");
  const gone = await tree.discard({ force: true });
  const left = p.git("for-each-ref", "--format=%(refname)", "refs/sylk/discarded").split("\n");
  expect([left.length, left.includes(gone.kind === "discarded" ? String(gone.recoverableFrom) : "")]).toEqual([200, true]);
});

test("a new work tree is made ready once, before anybody finds it; what fails there leaves no tree, and may be tried again", async () => {
  using p = project({ "a.txt": "one\n", ".gitignore": "made/\n" });
  const seen: string[] = [];
  let fails = true;
  const repository = await p.open({
    setUp:
      () =>
      async ({ id, folder }) => {
        seen.push(`${id} ${(await (await p.open()).workTrees()).length}`);
        putFiles(folder, { "made/it": readFileSync(path.join(folder, "a.txt"), "utf8") });
        if (fails) throw new Error("no network");
      },
  });
  await expect(repository.createWorkTree({ id: "w" })).rejects.toThrow("no network");
  expect([await repository.workTrees(), p.git("branch", "--list", "sylk/*"), p.git("for-each-ref", "refs/sylk/base")]).toEqual([
    [],
    "",
    "",
  ]);
  fails = false;
  const tree = await repository.createWorkTree({ id: "w" });
  expect(readFileSync(path.join(tree.path, "made/it"), "utf8")).toBe("one\n");
  expect([(await repository.workTrees()).map(({ id }) => id), await tree.changes()]).toEqual([["w"], []]);
  expect(seen).toEqual(["w 0", "w 0"]);
});

test("what makes a tree ready and changes files that are not ignored is refused: they would be merged as somebody's work", async () => {
  using p = project({ "a.txt": "one\n", "lock.json": "{}\n", ".gitignore": "made/\n" });
  writeFileSync(path.join(p.root, "a.txt"), "edited\n");
  const repository = await p.open({
    setUp:
      () =>
      ({ folder }) =>
        Promise.resolve(putFiles(folder, { "lock.json": "{ }\n", "new.txt": "n\n", "made/it": "m\n" })),
  });
  await expect(repository.createWorkTree({ id: "w" })).rejects.toMatchObject({
    code: "WORKTREE_SETUP_FAILED",
    message: expect.stringMatching(/not ignored: lock\.json, new\.txt$/u) as string,
  });
  expect([await repository.workTrees(), p.read("lock.json")]).toEqual([[], "{}\n"]);
});

test("a repository that is kept is opened anew where another one stands, or where what it is told has changed", async () => {
  using p = project({ "a.txt": "one\n" }, { git: false });
  const at = keptRepository({ root: p.root, stateDir: path.join(p.base, "state"), clock: systemClock });
  const shadow = await at();
  expect([shadow.kind, (await at()) === shadow]).toEqual(["shadow", true]);
  p.git("init", "-q", "-b", "main");
  expect((await at()).kind).toBe("git");
  // Written a moment ago, a second change might not show: kept only after that.
  await vi.waitFor(async () => expect(await at()).toBe(await at()), { timeout: 30_000 });
  const kept = await at();
  p.git("config", "core.worktree", "/");
  expect([(await at()) === kept, (await at()).kind]).toEqual([false, "shadow"]);
});

test.each([
  ["in the repository", ".git/config"],
  ["in a file that its configuration includes, and anybody may write", ".gitconfig"],
  ["in one that such a file includes", "deeper.ini"],
])("a filter that is configured %s while a repository is open runs nothing", async (_where, file) => {
  using p = project({ "a.txt": "one\n", ".gitattributes": "*.txt filter=evil\n", ".gitconfig": "[include]\npath = deeper.ini\n" });
  const ran = path.join(p.base, "ran");
  p.git("config", "include.path", "../.gitconfig");
  const repository = await p.open();
  const tree = await repository.createWorkTree({ id: "w" });
  // Until nothing was written a moment ago: what was looked up is kept from here on.
  for (const end = Date.now() + 200; Date.now() < end;) await tree.snapshot("before");
  for (const kind of ["clean", "smudge"]) p.git("config", "--file", file, `filter.evil.${kind}`, `touch ${ran}; cat`);
  writeFileSync(path.join(tree.path, "a.txt"), "two\n");
  await tree.commit({ message: "two" });
  await repository.snapshot({ message: "now" });
  await repository.createWorkTree({ id: "w2", base: await tree.head() });
  expect(existsSync(ran)).toBe(false);
});

test("one work tree is found by its name alone: not one half made, not one whose folder is gone, and one that was moved", async () => {
  using p = project({ "a.txt": "one\n" });
  const repository = await p.open();
  const tree = await repository.createWorkTree({ id: "w" });
  await repository.createWorkTree({ id: "w2" });
  const found = async (id: string): Promise<string | undefined> => (await (await p.open()).workTree(id))?.path;
  expect([await found("w"), await found("w3")]).toEqual([tree.path, undefined]);
  p.git("worktree", "move", tree.path, path.join(p.base, "elsewhere"));
  expect(await found("w")).toBe(path.join(p.base, "elsewhere"));
  p.git("update-ref", "-d", "refs/sylk/base/w");
  expect(await found("w")).toBeUndefined();
  rmSync(path.join(p.base, "state/trees/w2"), { recursive: true });
  expect(await found("w2")).toBeUndefined();
});

test("a pipe among the configuration files keeps nobody waiting", async () => {
  using p = project({ "a.txt": "one\n" });
  execFileSync("mkfifo", [path.join(p.root, ".git/config.worktree")]);
  const at = keptRepository({ root: p.root, stateDir: path.join(p.base, "state"), clock: systemClock });
  await expect(at()).rejects.toMatchObject({ code: "GIT_ODD_FILE" });
});
