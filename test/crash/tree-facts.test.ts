/** A work tree and its merge are facts of the task: cut off anywhere, the next merge finds out and ends it, once. */
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openApp, type App } from "../support/lab.ts";
import { openRun, type Store, sqliteDriver } from "../../src/journal/index.ts";
import { newId, systemClock } from "../../src/kernel/index.ts";
import { gitIn } from "../support/knowledge-project.ts";
import { privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { startInTree } from "./run-life.ts";

const signal = new AbortController().signal;
const FILES = { "a.txt": "one\n", "b.txt": "two\n" };

function project(): ScriptedProject {
  return scriptedProject(
    FILES,
    script([
      {
        name: "multi_edit",
        input: {
          edits: [
            { path: "a.txt", find: "one", replace: "ONE" },
            { path: "b.txt", find: "two", replace: "TWO" },
          ],
        },
      },
      { name: "complete", input: { summary: "louder" } },
    ]),
  );
}

/** An app whose appends of one type fail, before or after they are written. */
function cutAt(from: ScriptedProject, type: string, when: "before" | "after"): Promise<App> {
  const around = (store: Store): Store => ({
    ...store,
    journal: {
      ...store.journal,
      append: async (stream, seq, events, fence) => {
        const hit = events.some((event) => event.type === type);
        if (hit && when === "before") throw new Error("cut off");
        const written = await store.journal.append(stream, seq, events, fence);
        if (hit) throw new Error("cut off");
        return written;
      },
    },
  });
  return openApp({
    cwd: from.dir,
    env: from.env,
    clock: systemClock,
    driver: { ...sqliteDriver, open: async (options) => around(await sqliteDriver.open(options)) },
  });
}

async function finished(from: ScriptedProject): Promise<string> {
  const app = await from.open();
  const id = await startInTree(app, from.rules);
  expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("complete");
  await app.close();
  return id;
}

async function sequenceOf(from: ScriptedProject, prefix: string): Promise<string[]> {
  await using store = await sqliteDriver.open({ path: path.join(privateOf(from), "sylk.db"), clock: systemClock });
  return (await store.journal.readAll({ after: 0, limit: 100 })).filter(({ stream }) => stream.startsWith(prefix)).map(({ type }) => type);
}

async function factsOf(from: ScriptedProject, id: string): Promise<string[]> {
  await using store = await sqliteDriver.open({ path: path.join(privateOf(from), "sylk.db"), clock: systemClock });
  const types = (await store.journal.read(`task/${id}`)).map((event) => event.type);
  return types.filter((type) => type.startsWith("tree.") || type.startsWith("task.merge"));
}

const textOf = (from: ScriptedProject, name: string): string => readFileSync(path.join(from.dir, name), "utf8");

test.each([
  ["task.merge_intended", "before", "merged"],
  ["task.merge_intended", "after", "merged"],
  ["task.merged", "before", "merged"],
  ["task.merged", "after", "already_merged"],
  ["tree.discarded", "before", "already_merged"],
  ["tree.discarded", "after", "already_merged"],
] as const)("V10: a merge cut off at %s, %s it is written, is ended by the next", async (type, when, outcome) => {
  const from = project();
  const id = await finished(from);
  const cut = await cutAt(from, type, when);
  await expect(cut.trees.merge(id, undefined, signal)).rejects.toThrow("cut off");
  await cut.close();
  const app = await from.open();
  const again = await app.trees.merge(id, undefined, signal);
  expect(again).toMatchObject({ kind: outcome, files: [{ path: "a.txt" }, { path: "b.txt" }] });
  expect(await app.trees.merge(id, undefined, signal)).toMatchObject({ kind: "already_merged" });
  expect(await app.tasks.show(id)).toMatchObject({ tree: "merged", merged_files: ["a.txt", "b.txt"] });
  await app.close();
  expect([textOf(from, "a.txt"), textOf(from, "b.txt")]).toEqual(["ONE\n", "TWO\n"]);
  const facts = await factsOf(from, id);
  expect(facts.filter((fact) => fact === "task.merged")).toHaveLength(1);
  expect(facts.at(0)).toBe("tree.created");
  expect(facts.slice(-2)).toEqual(["task.merged", "tree.discarded"]);
  expect(existsSync(path.join(from.dir, ".git/worktrees"))).toBe(false);
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

test("V7: a tree whose task never came to be goes when the next one is made", async () => {
  const from = project();
  const first = await from.open();
  const kept = await startInTree(first, from.rules);
  await first.close();
  const trees = (): string[] => gitIn(from.dir, "worktree", "list", "--porcelain").match(/^branch refs\/heads\/sylk\/.+$/gmu) ?? [];
  const [used] = trees();
  // What a process killed before the task's first event leaves behind.
  const base = gitIn(from.dir, "rev-parse", (used as string).slice("branch ".length)).trim();
  const work = path.join(privateOf(from), "work/trees/work_orphan");
  gitIn(from.dir, "worktree", "add", "-q", "-b", "sylk/work_orphan", work, base);
  gitIn(from.dir, "update-ref", "refs/sylk/base/work_orphan", base);
  // One of another project on the same repository, and one that a living process is about to make a task for.
  for (const [id, where] of [["work_foreign", path.join(from.base, "elsewhere")] as const, ["work_making", path.dirname(work)] as const]) {
    gitIn(from.dir, "worktree", "add", "-q", "-b", `sylk/${id}`, path.join(where, id), base);
    gitIn(from.dir, "update-ref", `refs/sylk/base/${id}`, base);
  }
  const store = await sqliteDriver.open({ path: path.join(privateOf(from), "sylk.db"), clock: systemClock });
  await openRun({ ...store, clock: systemClock }, "tree/work_making", "tree", { tree: "work_making" }, null);
  await store.close();
  expect(trees()).toHaveLength(4);
  const app = await from.open();
  await startInTree(app, from.rules);
  expect(await app.tasks.show(kept)).toMatchObject({ tree: "open" });
  await app.close();
  expect(trees()).toEqual(expect.arrayContaining([used, "branch refs/heads/sylk/work_foreign", "branch refs/heads/sylk/work_making"]));
  expect(trees()).not.toContain("branch refs/heads/sylk/work_orphan");
  expect(existsSync(work)).toBe(false);
});

test("V7: a task that cannot be made leaves no tree behind", async () => {
  const from = project();
  const app = await from.open();
  onTestFinished(() => app.close());
  const words = { goal: "louder", type: "no_such_type", role: "engineer", criteria: [], constraints: [], checks: [] };
  const started = app.tasks.start({ ...words, discoverChecks: false, model: from.rules, profile: "minimal", worktree: true });
  await expect(started).rejects.toMatchObject({ code: "USAGE_UNKNOWN_TASK_TYPE" });
  expect(await sequenceOf(from, "tree/")).toContain("run.effect_done");
  expect(gitIn(from.dir, "worktree", "list")).not.toContain("trees");
  expect(gitIn(from.dir, "for-each-ref", "refs/sylk", "refs/heads/sylk")).toBe("");
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
