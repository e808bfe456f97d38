/** A task in a work tree of its own, through the real command. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";

const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n',
};
const FIX = script([
  { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
  { name: "complete", input: { summary: "add() adds" } },
]);

function startInTree() {
  const { dir, env, rules } = scriptedProject(FILES, FIX);
  const sylk = (...args: string[]) => {
    const run = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: dir,
      env: { ...env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { code: run.status, out: run.stdout, err: run.stderr };
  };
  const file = path.join(dir, "add.mjs");
  const started = sylk("task", "start", "make add() add", "-w", "--check", "node check.mjs", "-m", rules);
  expect(started).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toBe(FILES["add.mjs"]);
  return { sylk, file, dir };
}

test("a task with -w leaves the folder alone until it is merged, and then its tree is gone", () => {
  const { sylk, file } = startInTree();
  expect(sylk("task", "diff", "last").out).toContain("+export const add = (a, b) => a + b;");
  expect(sylk("task", "merge", "last")).toMatchObject({ code: 0, out: "merged 1 file:\n  add.mjs  as is\n" });
  expect(readFileSync(file, "utf8")).toContain("a + b");
  expect(sylk("task", "merge", "last")).toMatchObject({ code: 0, out: "already merged: add.mjs\n" });
  expect(sylk("task", "list").out).toContain("merged: make add() add");
  expect(sylk("task", "show", "last").out).toContain("Merged into your folder\n  add.mjs");
  expect(sylk("task", "show", "last").out).toMatch(/Next\n {2}sylk task undo \w+ {3}take the merge back/);
  expect(sylk("task", "watch", "last").out).toContain("merged add.mjs");
  expect(sylk("audit", "query", "--action", "merge").out).toContain("add.mjs");
});

test("V2: a merge is taken back with `task undo`, and later changes of the person stop it", () => {
  const { sylk, file } = startInTree();
  expect(sylk("task", "undo", "last")).toMatchObject({
    code: 1,
    err: expect.stringContaining("nothing of it is in your folder") as string,
  });
  expect(sylk("task", "merge", "last")).toMatchObject({ code: 0 });
  writeFileSync(file, "export const add = () => 3;\n");
  expect(sylk("task", "undo", "last")).toMatchObject({ code: 1, out: expect.stringMatching(/changed again since.*: add\.mjs/) as string });
  expect(sylk("task", "undo", "last", "--force")).toMatchObject({ code: 0, out: "taken back (the merge): add.mjs\n" });
  expect(readFileSync(file, "utf8")).toBe(FILES["add.mjs"]);
  expect(sylk("task", "show", "last").out).toContain("discarded; its merge was taken back");
  const again = sylk("task", "merge", "last");
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("it went with its merge, which was taken back") as string });
  expect(again.err).toContain("sylk task diff");
  expect(sylk("task", "diff", "last").out).toContain("+export const add = (a, b) => a + b;");
  expect(sylk("task", "discard", "last").out).toContain("its work tree is gone already");
  expect(sylk("audit", "query", "--action", "undo").out).toContain("add.mjs");
});

test("~CCY-043: where both changed the same place the person's edit stays until the person decides", () => {
  const { sylk, file, dir } = startInTree();
  writeFileSync(file, "export const add = (a, b) => a * b;\n");
  const disputed = sylk("task", "merge", "last");
  expect(disputed).toMatchObject({ code: 4, out: expect.stringContaining("add.mjs  both changed") as string });
  for (const part of [
    "before:\n      export const add = (a, b) => a - b;\n",
    "your folder:\n      export const add = (a, b) => a * b;\n",
    "the task:\n      export const add = (a, b) => a + b;\n",
    "--prefer mine keeps your file; lost of the task's:\n      export const add = (a, b) => a + b;\n",
    "--prefer task takes the task's file; lost of yours:\n      export const add = (a, b) => a * b;\n",
    "the task wanted: make add() add\n",
  ])
    expect(disputed.out).toContain(part);
  expect(readFileSync(file, "utf8")).toContain("a * b");
  expect(sylk("task", "discard", "last")).toMatchObject({ code: 1, out: expect.stringContaining("not merged yet: add.mjs") as string });
  expect(JSON.parse(sylk("--json", "task", "show", "last").out)).toMatchObject({ tree: "open" });
  const merged = sylk("task", "merge", "last", "--prefer", "task");
  expect(merged).toMatchObject({ code: 0, out: expect.stringContaining("add.mjs  the task's file, in place of yours") as string });
  // The file is the task's alone.
  expect(merged.out).not.toContain("combined");
  expect(merged.out).toContain("run the checks again");
  expect(sylk("task", "watch", "last").out).not.toContain("combined");
  expect(sylk("task", "merge", "--help").out).toContain("nothing is written");
  expect(readFileSync(file, "utf8")).toContain("a + b");
  expect(existsSync(path.join(dir, ".git/worktrees"))).toBe(false);
});

test("V0: --prefer mine is the person's own file", () => {
  const { sylk, file } = startInTree();
  writeFileSync(file, "export const add = (a, b) => a * b;\n");
  expect(sylk("task", "merge", "last", "--prefer", "mine")).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toContain("a * b");
});

test("work that is thrown away is told as such, and throwing it away again changes nothing", () => {
  const { sylk } = startInTree();
  expect(sylk("task", "discard", "last", "--force")).toMatchObject({ code: 0, out: "discarded\n" });
  expect(sylk("task", "discard", "last")).toMatchObject({ code: 0 });
  expect(sylk("task", "list").out).toContain("discarded: make add() add");
  expect(sylk("task", "show", "last").out).toContain("discarded; nothing of it was merged");
  expect(sylk("task", "merge", "last")).toMatchObject({ code: 1, err: expect.stringContaining("has no work tree") as string });
});

test("doctor tells what work trees take, without what their links lead to; thrown away, none is left", () => {
  const { sylk, dir } = startInTree();
  const told = (): string | undefined => {
    const { findings } = JSON.parse(sylk("doctor", "--json").out) as { findings: { name: string; message: string }[] };
    return findings.find(({ name }) => name === "work trees")?.message;
  };
  expect(told()).toMatch(/^1 tree takes 0\.0 MB below .*\/trees$/u);
  const [tree] = /below (.*)$/u.exec(told() ?? "")?.slice(1) ?? [];
  const [id = ""] = readdirSync(tree ?? "");
  writeFileSync(path.join(dir, "large.bin"), Buffer.alloc(8 * 1024 * 1024));
  symlinkSync(path.join(dir, "large.bin"), path.join(tree ?? "", id, "linked.bin"));
  expect(told()).toMatch(/^1 tree takes 0\.0 MB/u);
  writeFileSync(path.join(tree ?? "", id, "more.bin"), Buffer.alloc(3 * 1024 * 1024));
  expect(told()).toMatch(/^1 tree takes 3\.0 MB/u);
  expect(sylk("task", "discard", "last", "--force").code).toBe(0);
  expect(told()).toBe("none");
});
