/** A work tree that somebody removed is called gone, nothing is made in its place, and it can be discarded. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { openApp, type App } from "../support/lab.ts";
import { gitIn } from "../support/knowledge-project.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

const signal = new AbortController().signal;

const words = { goal: "make a file", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
const options = { discoverChecks: false, profile: "minimal", maxSteps: undefined, worktree: true };

async function inTree(): Promise<{ app: App; id: string; tree: string; base: string; git: (...args: string[]) => string }> {
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
  const id = await app.tasks.start({ ...words, ...options, model: project.rules });
  expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("escalated");
  const tree = String((await app.tasks.show(id)).work_tree);
  return { app, id, tree, base: project.base, git: (...args) => gitIn(project.dir, ...args) };
}

test.each([
  ["removed", () => undefined],
  ["made anew, empty", (tree: string) => void mkdirSync(tree, { recursive: true })],
  [
    "made anew in a home that is a repository",
    (tree: string, home: string) => {
      mkdirSync(tree, { recursive: true });
      mkdirSync(path.join(home, ".git"));
    },
  ],
  ["removed with the folder of all", (tree: string) => rmSync(path.dirname(tree), { recursive: true })],
])("V13: a work tree that was %s: the task does not go on, merge and discard say so, discard forgets it", async (_how, then) => {
  const { app, id, tree, base, git } = await inTree();
  rmSync(tree, { recursive: true });
  then(tree, base);
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

test.each([
  ["between two steps", "task.decided", 1],
  ["while its model answers", "model.call_finished", 1],
])("V13: a work tree that goes %s: nothing more is asked or done, and nothing is made in its place", async (_when, type, calls) => {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([
      ...(type === "task.decided" ? [{ name: "read_file", input: { path: "a.txt" } }] : []),
      { name: "write_file", input: { path: "made.txt", content: "made\n" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  let tree = "";
  const seen: string[] = [];
  const app = await openApp({
    cwd: project.dir,
    env: project.env,
    clock: systemClock,
    driver: {
      ...sqliteDriver,
      open: async (at) => {
        const store = await sqliteDriver.open(at);
        const append: typeof store.journal.append = (...given) => {
          seen.push(...given[2].map((event) => event.type));
          if (tree !== "" && seen.at(-1) === type) rmSync(tree, { recursive: true, force: true });
          return store.journal.append(...given);
        };
        return { ...store, journal: { ...store.journal, append } };
      },
    },
  });
  onTestFinished(() => app.close());
  const id = await app.tasks.start({ ...words, ...options, model: project.rules });
  tree = String((await app.tasks.show(id)).work_tree);
  await expect(app.tasks.run(id, () => undefined, signal)).rejects.toMatchObject({ code: "TASK_TREE_GONE" });
  expect(seen.filter((one) => one === "model.call_finished")).toHaveLength(calls);
  expect(existsSync(tree)).toBe(false);
  expect(seen).not.toContain("task.intended");
});
