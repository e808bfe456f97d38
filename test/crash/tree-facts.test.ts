/** A work tree and its merge are facts of the task: cut off anywhere, the next merge finds out and ends it, once. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openRun, sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { gitIn } from "../support/knowledge-project.ts";
import { privateOf, type ScriptedProject } from "../support/scripted-project.ts";
import { startInTree } from "./run-life.ts";
import { project, MERGE_CUTS, endsCutMerge } from "./tree-facts.ts";

async function sequenceOf(from: ScriptedProject, prefix: string): Promise<string[]> {
  await using store = await sqliteDriver.open({ path: path.join(privateOf(from), "sylk.db"), clock: systemClock });
  return (await store.journal.readAll({ after: 0, limit: 100 })).filter(({ stream }) => stream.startsWith(prefix)).map(({ type }) => type);
}

test.each(MERGE_CUTS.slice(3, 4))("V10: a merge cut off at %s, %s it is written, is ended by the next", async (type, when, outcome) => {
  expect.hasAssertions();
  await endsCutMerge(type, when, outcome);
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
