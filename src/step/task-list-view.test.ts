import { expect, test } from "vitest";
import { sqliteDriver } from "../journal/index.ts";
import { systemClock } from "../kernel/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import { privateOf, script, scriptedProject } from "../../test/support/scripted-project.ts";
import { taskListView } from "./task-list-view.ts";
import { taskView } from "./task-view.ts";

test("a list says of a task what the task itself says, whatever happened to it", async () => {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([
      { name: "write_file", input: { path: "b.txt", content: "two\n" } },
      { name: "ask_user", input: { question: "and now?" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const app = await project.open();
  const signal = new AbortController().signal;
  const words = { goal: "make a file", type: "implement_feature", role: "engineer", criteria: ["c"], constraints: [], checks: ["true"] };
  const start = (worktree: boolean): Promise<string> =>
    app.tasks.start({ ...words, model: project.rules, profile: "minimal", maxSteps: undefined, worktree });
  const ids = [await start(false), await start(true), await start(false), await start(false)];
  for (const id of ids.slice(0, 3)) {
    await app.tasks.run(id, () => undefined, signal);
    await app.tasks.answer(id, "go on");
    await app.tasks.run(id, () => undefined, signal);
  }
  await app.trees.merge(ids[1] as string, undefined, signal);
  await app.changes.undo(ids[2] as string, { dryRun: false, force: true, signal });
  await app.tasks.cancel(ids[3] as string, "enough");
  await app.close();
  const views = [taskView, taskListView];
  await using store = await sqliteDriver.open({ path: `${privateOf(project)}/sylk.db`, clock: systemClock, views });
  const said = async (id: string, view: typeof taskView) => {
    const state = await store.journal.get(view, STREAMS.task(id));
    if (state === undefined) return undefined;
    const { status, verified, phase, step, limit, createdAt, updatedAt, why, reason, code, question, report, tree, usage, kept } = state;
    const { id: task, goal, model, place, type, role } = state.created;
    const told = { status, verified, phase, step, limit, createdAt, updatedAt, why, reason, code, question, report, tree, usage, kept };
    return { ...told, task, goal, model, place, type, role, merged: state.merged?.at };
  };
  for (const id of ids) expect(await said(id, taskListView)).toEqual(await said(id, taskView));
  const newest = await store.journal.list(taskListView, { prefix: "task/", reverse: true, limit: 2 });
  expect(newest.map(({ state }) => state.created.id)).toEqual([ids[3], ids[2]]);
  expect(await store.journal.count(taskListView, "task/")).toBe(4);
});
