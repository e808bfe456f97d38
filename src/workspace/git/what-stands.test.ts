/** Whether a command would find the same: real repositories, real links, each thing that counts changed alone. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { putFiles, tempFolder } from "../../../test/support/temp-workspace.ts";
import { systemClock } from "../../kernel/index.ts";
import { openRepository } from "./open-repository.ts";
import type { Standing } from "./what-stands.ts";
import type { WorkTree } from "./work-tree.ts";

const IGNORED = "node_modules/\n.venv/\ndist/\n.pytest_cache/\n*.env\ngen.js\n";
const LATER = new Date("2031-01-01T00:00:00Z");

interface There {
  /** The project, which may stand in a folder of its repository. */
  root: string;
  put(files: Record<string, string>): void;
  link(name: string, to: string): void;
  /** As after a change that left names and sizes as they were. */
  touch(name: string): void;
  tree(): Promise<WorkTree>;
  stands(tree?: WorkTree): Promise<Standing | undefined>;
}

async function there(inside = ""): Promise<There> {
  const base = tempFolder("stands");
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const top = path.join(base, "project");
  const root = path.join(top, inside);
  putFiles(root, { "a.txt": "one\n" });
  putFiles(top, { ".gitignore": IGNORED });
  const git = (...args: string[]): unknown => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: top });
  git("init", "-q", ".");
  git("add", "-A");
  git("commit", "-qm", "first");
  const repository = await openRepository({ root, stateDir: path.join(base, "state"), clock: systemClock });
  return {
    root,
    put: (files) => putFiles(root, files),
    link(name, to) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      symlinkSync(to, path.join(root, name));
    },
    touch: (name) => utimesSync(path.join(root, name), LATER, LATER),
    tree: () => repository.createWorkTree({ id: "one" }),
    stands: (tree) => repository.stands(tree?.id, undefined),
  };
}

test.each<[string, "same" | "other", (at: There) => void, (at: There) => void]>([
  ["a package of a scope", "other", (at) => at.put({ "node_modules/@x/dep/index.js": "1" }), (at) => at.touch("node_modules/@x/dep")],
  [
    "a package of another language, four folders down",
    "other",
    (at) => at.put({ ".venv/lib/python3/site-packages/dep/one.py": "1" }),
    (at) => at.touch(".venv/lib/python3/site-packages/dep"),
  ],
  ["a file of the same size", "other", (at) => at.put({ "node_modules/.lock": "1" }), (at) => at.touch("node_modules/.lock")],
  [
    "what a tool keeps for itself",
    "same",
    (at) => at.put({ "node_modules/dep/a.js": "1" }),
    (at) => at.put({ "node_modules/.cache/x": "1" }),
  ],
  ["generated source", "other", (at) => at.put({ "gen.js": "1" }), (at) => at.put({ "gen.js": "2" })],
  ["what is built and lent to nobody", "same", (at) => at.put({ "dist/a.js": "1" }), (at) => at.put({ "dist/a.js": "2" })],
])("%s that changed makes it %s", async (_what, wanted, before, change) => {
  const at = await there();
  before(at);
  const [first, again] = [await at.stands(), await at.stands()];
  expect([first?.name, first?.plain]).toEqual([again?.name, true]);
  change(at);
  const after = await at.stands();
  expect(after?.name === first?.name ? "same" : "other").toBe(wanted);
});

test("a new file that is too large to be taken in leaves it without a name", async () => {
  const at = await there();
  writeFileSync(path.join(at.root, "big.bin"), Buffer.alloc(10 * 1024 * 1024 + 1));
  expect(await at.stands()).toBeUndefined();
});

test("a program elsewhere that is linked leaves it a name, a folder elsewhere does not", async () => {
  const at = await there();
  at.link(".venv/bin/python", process.execPath);
  expect(await at.stands()).toBeDefined();
  at.link(".venv/bin/lib", path.dirname(process.execPath));
  expect(await at.stands()).toBeUndefined();
});

test("a tree is another one when the user changes files that its packages lead to, and the same when these lead to packages", async () => {
  const at = await there();
  at.put({ "node_modules/.store/node_modules/dep/index.js": "1" });
  at.link("node_modules/dep", ".store/node_modules/dep");
  const tree = await at.tree();
  const first = await at.stands(tree);
  at.put({ "a.txt": "two\n" });
  expect(await at.stands(tree)).toEqual(first);
  at.link("node_modules/own", "..");
  const linked = await at.stands(tree);
  at.put({ "a.txt": "three\n" });
  expect((await at.stands(tree))?.name).not.toBe(linked?.name);
});

test.each<[string, boolean, (tree: string, root: string) => void]>([
  ["nothing more", true, () => undefined],
  ["what a tool keeps for itself", true, (tree) => putFiles(tree, { ".pytest_cache/x": "1" })],
  ["something built", false, (tree) => putFiles(tree, { "dist/x.js": "1" })],
  ["a package less", false, (tree) => rmSync(path.join(tree, "node_modules/other"))],
  ["a package more in a scope", false, (tree) => putFiles(tree, { "node_modules/@x/own/index.js": "1" })],
  [
    "a package that leads elsewhere",
    false,
    (tree, root) => {
      rmSync(path.join(tree, "node_modules/dep"));
      symlinkSync(path.join(root, "node_modules/other"), path.join(tree, "node_modules/dep"));
    },
  ],
  [
    "a package of its own in place of a link",
    false,
    (tree, root) => {
      rmSync(path.join(tree, "node_modules/dep"));
      mkdirSync(path.join(tree, "node_modules/dep"));
      symlinkSync(path.join(root, "node_modules/dep/index.js"), path.join(tree, "node_modules/dep/index.js"));
    },
  ],
  ["a lent file with other words", false, (tree) => writeFileSync(path.join(tree, "test.env"), "A=2")],
  ["a file that is too large to look at", false, (tree) => writeFileSync(path.join(tree, "big.env"), Buffer.alloc(10 * 1024 * 1024 + 1))],
])("a tree with %s beside what it was lent is plain: %s", async (_what, wanted, change) => {
  const at = await there();
  at.put({
    "node_modules/dep/index.js": "1",
    "node_modules/other/index.js": "1",
    "node_modules/@x/dep/index.js": "1",
    "test.env": "A=1",
    ".worktreeinclude": "*.env\n",
  });
  const tree = await at.tree();
  change(tree.path, at.root);
  expect((await at.stands(tree))?.plain).toBe(wanted);
});

test("a project in a folder of its repository: what it lends is known there, what stands beside it is not", async () => {
  const at = await there("packages/app");
  at.put({ "node_modules/dep/index.js": "1", "gen.js": "1" });
  const tree = await at.tree();
  expect((await at.stands(tree))?.plain).toBe(true);
  putFiles(path.join(tree.path, "../.."), { "gen.js": "1" });
  expect((await at.stands(tree))?.plain).toBe(false);
});
