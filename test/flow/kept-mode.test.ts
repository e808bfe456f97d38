/** The permission mode of a task is a fact of the task: it outlives the process, unless it allows more than the default. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { PermissionPolicy } from "../../src/app/index.ts";
import type { App } from "../support/lab.ts";
import { choose } from "../support/answering.ts";
import { createQuestions, sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { agentActor } from "../../src/protocol/events/index.ts";
import { privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const done = { name: "complete", input: { summary: "done" } };
const ask = { name: "ask_user", input: { question: "and now?" } };
const write = { name: "write_file", input: { path: "b.txt", content: "b\n" } };
const edit = { name: "edit_file", input: { path: "a.txt", find: "one", replace: "two" } };
const command = { name: "run_command", input: { command: "npm install left-pad" } };

async function opened(project: ScriptedProject, mode?: PermissionPolicy["mode"], attended = false) {
  const app = await project.open({ attended, ...(mode === undefined ? {} : { permissions: { mode } }) });
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}

const start = (app: App, project: ScriptedProject): Promise<string> =>
  app.tasks.start({
    goal: "try things",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: [],
    model: project.rules,
    profile: "minimal",
    maxSteps: 6,
    discoverChecks: false,
  });

const run = (app: App, id: string, signal = never) => app.tasks.run(id, () => undefined, signal);
const text = ({ dir }: ScriptedProject, name: string): string => readFileSync(path.join(dir, name), "utf8");
const openIds = async (app: App): Promise<string[]> => (await app.questions.list({ ended: false })).map(({ id }) => id);

async function firstOpen(app: App): Promise<string> {
  for await (const _ of app.api.events({ stream: "question/" }, 0, never)) {
    const [id] = await openIds(app);
    if (id !== undefined) return id;
  }
  throw new Error("nothing was asked");
}

test("a task that was stopped at a question about an edit asks the same one in a process without a mode, and a no to it stands", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([edit, edit, done]));
  let id = "";
  let asked = "";
  {
    await using first = await opened(project, "ask-edits", true);
    id = await start(first, project);
    const stop = new AbortController();
    const running = run(first, id, stop.signal).catch(() => undefined);
    asked = await firstOpen(first);
    stop.abort();
    await running;
  }
  await using other = await opened(project);
  expect(await other.tasks.show(id)).toMatchObject({ status: "interrupted", question_id: asked });
  await other.tasks.reopen(id, { extraSteps: 0 });
  expect(await run(other, id)).toMatchObject({ why: "waits_for_answer", question_id: asked });
  expect(await openIds(other)).toEqual([asked]);
  await other.questions.answer(asked, choose("deny", "leave it"), never);
  await using third = await opened(project);
  await third.tasks.reopen(id, { extraSteps: 0 });
  await run(third, id);
  expect(text(project, "a.txt")).toBe("one\n");
  expect((await third.tasks.context(id, 2)).user).toContain("saying: leave it");
  expect((await third.questions.list({ ended: true })).filter((one) => one.ask.kind === "permission")).toHaveLength(1);
});

test("a mode that allows more than the default holds for the run it was given to; the stricter one from before comes back", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([ask, write, ask, command, ask, edit, done]));
  let id = "";
  {
    await using first = await opened(project, "ask-edits");
    id = await start(first, project);
    expect(await run(first, id)).toMatchObject({ why: "agent_asks" });
  }
  {
    await using bypass = await opened(project, "bypass");
    await bypass.tasks.answer(id, "go on");
    await bypass.tasks.reopen(id, { extraSteps: 0 });
    expect(await run(bypass, id)).toMatchObject({ why: "agent_asks" });
    expect(text(project, "b.txt")).toBe("b\n");
  }
  await using plain = await opened(project);
  await plain.tasks.answer(id, "go on");
  const rests = await run(plain, id);
  expect(rests).toMatchObject({ why: "waits_for_answer" });
  await plain.questions.answer(rests.question_id ?? "", choose("deny"), never);
  expect(await run(plain, id)).toMatchObject({ why: "agent_asks" });
  await plain.tasks.answer(id, "go on");
  expect(await run(plain, id)).toMatchObject({ why: "waits_for_answer", question: expect.stringContaining("modify a.txt") as string });
});

test("what was told to plan only plans, also when a process without a mode takes it up; its plan approved, it works", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([ask, write, { name: "complete", input: { summary: "1. write b.txt" } }]));
  let id = "";
  {
    await using first = await opened(project);
    id = await start(first, project);
    expect(await run(first, id)).toMatchObject({ why: "agent_asks" });
    await using plans = await opened(project, "plan");
    await plans.tasks.answer(id, "think first");
    await plans.tasks.reopen(id, { extraSteps: 0 });
  }
  await using other = await opened(project);
  expect(await run(other, id)).toMatchObject({ why: "plan_ready" });
  expect(existsSync(path.join(project.dir, "b.txt"))).toBe(false);
  await other.tasks.reopen(id, { extraSteps: 0 });
  expect((await run(other, id)).status).toBe("complete");
});

test("a task whose changes are taken back asks nothing any more", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([write, edit, done]));
  await using app = await opened(project, "ask-edits");
  const id = await start(app, project);
  const first = await run(app, id);
  await app.questions.answer(first.question_id ?? "", choose("once"), never);
  const second = await run(app, id);
  expect(second).toMatchObject({ why: "waits_for_answer" });
  await app.changes.undo(id, { dryRun: false, force: false, signal: never });
  expect(await openIds(app)).toEqual([]);
  expect((await app.tasks.show(id)).question).toBeUndefined();
  await expect(app.questions.answer(second.question_id ?? "", choose("once"), never)).rejects.toMatchObject({
    code: "QUESTION_ENDED",
    message: expect.stringContaining("withdrawn") as string,
  });
});

test("a task that died before it withdrew what it asked asks nothing once it has ended", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([done]));
  let id = "";
  {
    await using app = await opened(project);
    id = await start(app, project);
    expect((await run(app, id)).status).toBe("complete");
  }
  let left = "";
  {
    await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock, views: [] });
    const same = { redact: (words: string) => words, screen: (words: string) => Promise.resolve(words) };
    const questions = createQuestions({ journal: () => Promise.resolve(store.journal), clock: systemClock, attended: false, ...same });
    const asked = { asker: { kind: "task" as const, id }, session: "default", key: "left", message: "?", ask: { kind: "text" as const } };
    left = (await questions.put({ ...asked, by: agentActor("engineer", id) })).id;
  }
  await using app = await opened(project);
  expect(await openIds(app)).toEqual([]);
  await expect(app.questions.answer(left, { kind: "said", text: "yes" }, never)).rejects.toMatchObject({
    code: "QUESTION_ENDED",
    message: expect.stringContaining("the task that asked it has ended") as string,
  });
});
