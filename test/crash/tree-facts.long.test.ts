/** `tree-facts.test.ts` goes on here with what takes longer. */
import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newId } from "../../src/kernel/index.ts";
import { gitIn } from "../support/knowledge-project.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { signal, FILES, project, cutAt, finished, factsOf, textOf, MERGE_CUTS, endsCutMerge } from "./tree-facts.ts";

test.each(MERGE_CUTS)("V10: a merge cut off at %s, %s it is written, is ended by the next", async (type, when, outcome) => {
  expect.hasAssertions();
  await endsCutMerge(type, when, outcome);
});

test("V10: a merge cut off while it removed its tree leaves nothing of it in git after the next", async () => {
  const from = project();
  const id = await finished(from);
  const cut = await cutAt(from, "task.merged", "after");
  await expect(cut.trees.merge(id, undefined, signal)).rejects.toThrow("cut off");
  await cut.close();
  const tree = /^worktree (?<path>.+trees.+)$/mu.exec(gitIn(from.dir, "worktree", "list", "--porcelain"))?.groups?.["path"];
  gitIn(from.dir, "worktree", "remove", "--force", tree as string);
  const app = await from.open();
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "already_merged" });
  await app.close();
  expect(gitIn(from.dir, "for-each-ref", "--format=%(refname)", "refs/heads/sylk", "refs/sylk")).toBe("");
});

test("V10: a merge cut off between two files is planned anew, and the fact names both", async () => {
  const from = project();
  const id = await finished(from);
  const cut = await cutAt(from, "task.merge_intended", "after");
  await expect(cut.trees.merge(id, undefined, signal)).rejects.toThrow("cut off");
  await cut.close();
  writeFileSync(path.join(from.dir, "a.txt"), "ONE\n");
  const app = await from.open();
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "merged", files: [{ path: "a.txt" }, { path: "b.txt" }] });
  await app.close();
  expect([textOf(from, "a.txt"), textOf(from, "b.txt")]).toEqual(["ONE\n", "TWO\n"]);
});

test("V8: what a merge that was cut off left beside its files goes, though the next finds a conflict", async () => {
  const from = project();
  const id = await finished(from);
  const cut = await cutAt(from, "task.merge_intended", "after");
  await expect(cut.trees.merge(id, undefined, signal)).rejects.toThrow("cut off");
  await cut.close();
  const left = path.join(from.dir, `.b.txt.${newId("tmp", 1_800_000_000_000)}`);
  writeFileSync(left, "TWO\n");
  writeFileSync(path.join(from.dir, "b.txt"), "mine\n");
  const app = await from.open();
  onTestFinished(() => app.close());
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "conflicts", conflicts: [{ path: "b.txt" }] });
  expect(existsSync(left)).toBe(false);
});

test("V2: files that vanished from the work tree without the task's doing are not deleted in the project", async () => {
  const from = project();
  const id = await finished(from);
  const app = await from.open();
  const { work_tree: tree } = await app.tasks.show(id);
  for (const name of Object.keys(FILES)) rmSync(path.join(tree as string, name));
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "refused", path: "a.txt" });
  expect([textOf(from, "a.txt"), textOf(from, "b.txt")]).toEqual(["one\n", "two\n"]);
  expect(await app.trees.merge(id, "task", signal)).toMatchObject({ kind: "merged" });
  await app.close();
  expect(existsSync(path.join(from.dir, "a.txt"))).toBe(false);
});

test("V2: a task that ran a command may have deleted a few files by it, not all of them", async () => {
  const names = ["1.txt", "2.txt", "3.txt", "4.txt"];
  const from = scriptedProject(
    Object.fromEntries([...names, "kept.txt"].map((name) => [name, `${name}\n`])),
    script([
      { name: "run_command", input: { command: "echo looked" } },
      { name: "write_file", input: { path: "made.txt", content: "made\n" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const id = await finished(from);
  const app = await from.open();
  onTestFinished(() => app.close());
  const { work_tree: tree } = await app.tasks.show(id);
  for (const name of names) rmSync(path.join(String(tree), name));
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "refused", path: "1.txt" });
  expect(names.every((name) => existsSync(path.join(from.dir, name)))).toBe(true);
  writeFileSync(path.join(String(tree), "1.txt"), "1.txt\n");
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "merged" });
  expect(names.filter((name) => existsSync(path.join(from.dir, name)))).toEqual(["1.txt"]);
});

const undo = { dryRun: false, force: false, signal };

test("V2: a merge is taken back: every file as it was, permissions too; what was changed since stays", async () => {
  const from = project();
  chmodSync(path.join(from.dir, "b.txt"), 0o640);
  const id = await finished(from);
  const app = await from.open();
  onTestFinished(() => app.close());
  await expect(app.changes.undo(id, undo)).rejects.toMatchObject({ code: "TASK_HAS_WORK_TREE" });
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "merged" });
  writeFileSync(path.join(from.dir, "a.txt"), "my own\n");
  expect(await app.changes.undo(id, undo)).toEqual({ kind: "changed_since", files: ["a.txt"], commands: 0 });
  expect([textOf(from, "a.txt"), textOf(from, "b.txt")]).toEqual(["my own\n", "TWO\n"]);
  writeFileSync(path.join(from.dir, "a.txt"), "ONE\n");
  expect(await app.changes.undo(id, { ...undo, dryRun: true })).toMatchObject({ kind: "undone", what: "merge", dry_run: true });
  expect(textOf(from, "a.txt")).toBe("ONE\n");
  expect(await app.changes.undo(id, undo)).toMatchObject({ kind: "undone", what: "merge", files: ["a.txt", "b.txt"] });
  expect([textOf(from, "a.txt"), textOf(from, "b.txt")]).toEqual(["one\n", "two\n"]);
  expect(statSync(path.join(from.dir, "b.txt")).mode & 0o777).toBe(0o640);
  expect(await app.tasks.show(id)).toMatchObject({ tree: "discarded", why: "taken_back" });
  await expect(app.changes.undo(id, undo)).rejects.toMatchObject({ code: "TASK_HAS_WORK_TREE" });
});

test.each([
  ["run.effect_intended", "before"],
  ["run.effect_intended", "after"],
  ["run.effect_done", "before"],
  ["run.effect_done", "after"],
  ["task.merge_undone", "before"],
] as const)("V2: taking a merge back, cut off at %s, %s it is written, is ended by the next", async (type, when) => {
  const from = project();
  const id = await finished(from);
  const first = await from.open();
  await first.trees.merge(id, undefined, signal);
  await first.close();
  const cut = await cutAt(from, type, when);
  await expect(cut.changes.undo(id, undo)).rejects.toThrow("cut off");
  await cut.close();
  const app = await from.open();
  expect(await app.changes.undo(id, undo)).toMatchObject({ kind: "undone", what: "merge" });
  await app.close();
  expect([textOf(from, "a.txt"), textOf(from, "b.txt")]).toEqual(["one\n", "two\n"]);
  expect((await factsOf(from, id)).filter((fact) => fact === "task.merge_undone")).toHaveLength(1);
});
