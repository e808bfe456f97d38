/** A work tree that somebody removed is called gone, nothing is made in its place, and it can be discarded. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { App } from "../support/lab.ts";
import { gitIn } from "../support/knowledge-project.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

const signal = new AbortController().signal;

async function inTree(): Promise<{ app: App; id: string; tree: string; git: (...args: string[]) => string }> {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([
      { name: "ask_user", input: { question: "shall I?" } },
      { name: "write_file", input: { path: "made.txt", content: "made\n" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const app = await project.open();
  onTestFinished(() => app.close());
  const words = { goal: "make a file", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
  const options = { discoverChecks: false, model: project.rules, profile: "minimal", maxSteps: undefined, worktree: true };
  const id = await app.tasks.start({ ...words, ...options });
  expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("escalated");
  const tree = String((await app.tasks.show(id)).work_tree);
  return { app, id, tree, git: (...args) => gitIn(project.dir, ...args) };
}

test.each([
  ["removed", () => undefined],
  ["made anew, empty", (tree: string) => void mkdirSync(tree, { recursive: true })],
])("V13: a work tree that was %s: the task does not go on, merge and discard say so, discard forgets it", async (_how, then) => {
  const { app, id, tree, git } = await inTree();
  rmSync(tree, { recursive: true });
  then(tree);
  await app.tasks.answer(id, "yes");
  const gone = { code: "TASK_TREE_GONE", message: expect.stringContaining("gone") as string };
  await expect(app.tasks.run(id, () => undefined, signal)).rejects.toMatchObject(gone);
  await expect(app.trees.merge(id, undefined, signal)).rejects.toMatchObject(gone);
  expect(git("worktree", "list", "--porcelain")).toContain(tree);
  expect(await app.trees.discard(id, { force: false })).toEqual({ kind: "discarded" });
  expect(existsSync(tree)).toBe(false);
  expect(git("worktree", "list", "--porcelain")).not.toContain(tree);
  expect(git("for-each-ref", "refs/sylk", "refs/heads/sylk")).toBe("");
});
