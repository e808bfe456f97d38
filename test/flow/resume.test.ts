/** Days may pass between two steps; what others did meanwhile is told, not overwritten. */
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Store, sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { EVENTS } from "../../src/protocol/events/index.ts";
import { openApp } from "../support/lab.ts";
import { filesOf, script, scriptedProject } from "../support/scripted-project.ts";

test("~EFF-092 ~EFF-093: a resumed task goes on where it stood, and hears which of its files were changed meanwhile", async () => {
  const project = scriptedProject(
    { "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" },
    script([
      { name: "edit_file", input: { path: "a.txt", find: "one", replace: "ONE" } },
      [
        { name: "read_file", input: { path: "b.txt" } },
        { name: "read_file", input: { path: "c.txt" } },
      ],
      { name: "ask_user", input: { question: "go on?" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const app = await project.open();
  const id = await app.tasks.start({
    goal: "work in two sittings",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["true"],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  const first = await app.tasks.run(id, () => undefined, new AbortController().signal);
  expect(first.status).toBe("escalated");
  writeFileSync(path.join(project.dir, "a.txt"), "someone else's\n");
  writeFileSync(path.join(project.dir, "b.txt"), "2\n");
  await app.tasks.answer(id, "yes");
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  const { user } = await app.tasks.context(id, 4);
  await app.close();
  expect(user).toContain("While this task rested, someone else changed a.txt, b.txt. What you see of it is old");
  expect(user).toContain("- yes");
  expect(end).toMatchObject({ status: "complete", step: 4 });
  expect(readFileSync(path.join(project.dir, "a.txt"), "utf8")).toBe("someone else's\n");
});

async function changedTask() {
  const before = { "a.txt": "one\r\ntwo\r\n", "gone.txt": "was here\n", "kept.txt": "kept\n" };
  const project = scriptedProject(
    before,
    script([
      { name: "edit_file", input: { path: "a.txt", find: "two", replace: "2" } },
      { name: "write_file", input: { path: "sub/new.txt", content: "new\n" } },
      { name: "move_file", input: { from: "gone.txt", to: "there.txt" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const app = await project.open();
  const id = await app.tasks.start({
    goal: "change things",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["true"],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  await app.tasks.run(id, () => undefined, new AbortController().signal);
  const undo = (options: { dryRun?: boolean; force?: boolean } = {}) =>
    app.changes.undo(id, { dryRun: false, force: false, ...options, signal: new AbortController().signal });
  return { app, id, project, before, undo };
}

test("what a task changed in place is shown as a diff, and taken back byte for byte", async () => {
  const { app, id, project, before, undo } = await changedTask();
  const { text } = await app.changes.diff(id, new AbortController().signal);
  expect(text).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2");
  expect(text).toContain("--- /dev/null\n+++ b/sub/new.txt");
  expect(await undo({ dryRun: true })).toMatchObject({ kind: "undone", dry_run: true });
  expect(filesOf(project.dir)["a.txt"]).toBe("one\r\n2\r\n");
  expect(await undo()).toMatchObject({ kind: "undone", files: expect.arrayContaining(["a.txt", "sub/new.txt", "gone.txt"]) as string[] });
  expect(filesOf(project.dir)).toEqual(before);
  expect(await undo()).toEqual({ kind: "nothing_to_undo" });
  expect(await app.tasks.show(id)).toMatchObject({ changed_files: [] });
  await app.close();
});

test("what the person changed between two changes of the task is not taken back with them, unless forced", async () => {
  const project = scriptedProject(
    { "a.txt": "one\ntwo\n" },
    script([
      { name: "edit_file", input: { path: "a.txt", find: "one", replace: "ONE" } },
      { name: "escalate", input: { reason: "which way?" } },
      { name: "edit_file", input: { path: "a.txt", find: "two", replace: "TWO" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const app = await project.open();
  const words = { goal: "shout", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: ["true"] };
  const id = await app.tasks.start({ ...words, model: project.rules, profile: "minimal", maxSteps: undefined });
  const { signal } = new AbortController();
  expect(await app.tasks.run(id, () => undefined, signal)).toMatchObject({ status: "escalated" });
  writeFileSync(path.join(project.dir, "a.txt"), "mine\nONE\ntwo\n");
  await app.tasks.answer(id, "go on");
  expect(await app.tasks.run(id, () => undefined, signal)).toMatchObject({ status: "complete" });
  const undo = (force: boolean) => app.changes.undo(id, { dryRun: false, force, signal });
  expect(await undo(false)).toEqual({ kind: "changed_since", files: ["a.txt"], commands: 0 });
  expect(filesOf(project.dir)["a.txt"]).toBe("mine\nONE\nTWO\n");
  expect(await undo(true)).toMatchObject({ kind: "undone" });
  expect(filesOf(project.dir)["a.txt"]).toBe("one\ntwo\n");
  await app.close();
});

test("a file the person changed since is not touched, and then nothing is taken back unless forced", async () => {
  const { app, project, before, undo } = await changedTask();
  writeFileSync(path.join(project.dir, "a.txt"), "mine\n");
  expect(await undo()).toEqual({ kind: "changed_since", files: ["a.txt"], commands: 0 });
  expect(filesOf(project.dir)).toMatchObject({ "a.txt": "mine\n", "there.txt": "was here\n" });
  expect(await undo({ force: true })).toMatchObject({ kind: "undone" });
  expect(filesOf(project.dir)).toEqual(before);
  await app.close();
});

async function sitting(steps: Parameters<typeof script>[0], maxSteps?: number) {
  const project = scriptedProject({ "n.txt": "1\n", "other.txt": "one\n" }, script(steps));
  const app = await project.open();
  const start = {
    goal: "n.txt holds 2",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["grep -q 2 n.txt"],
    model: project.rules,
    profile: "minimal",
    maxSteps,
  };
  const id = await app.tasks.start(start);
  const run = () => app.tasks.run(id, () => undefined, new AbortController().signal);
  return { app, id, run, start, file: path.join(project.dir, "n.txt"), project, open: () => project.open() };
}

/** Fails right after the task was called complete, before anything else is written. */
function cutOff(store: Store): Store {
  return {
    ...store,
    journal: {
      ...store.journal,
      append: async (stream, seq, events, fence) => {
        const written = await store.journal.append(stream, seq, events, fence);
        if (written.some((event) => EVENTS.task.decided.is(event) && event.payload.decision === "complete")) throw new Error("cut off");
        return written;
      },
    },
  };
}

const ask = { name: "ask_user", input: { question: "really?" } };
const done = { name: "complete", input: { summary: "done" } };
const change = { name: "edit_file", input: { path: "n.txt", find: "1", replace: "2" } };

test("CTX-021: what was verified before a rest is verified again: a file broken meanwhile is not called done", async () => {
  const { app, id, run, file } = await sitting([change, ask, done]);
  expect(await run()).toMatchObject({ status: "escalated" });
  writeFileSync(file, "broken\n");
  await app.tasks.answer(id, "yes");
  const end = await run();
  const { user } = await app.tasks.context(id, 3);
  await app.close();
  expect(user).toContain("FAILS");
  expect(end).toMatchObject({ status: "escalated", verified: false });
});

test("CTX-021: a file the person mended meanwhile counts: the task sees it and can finish, not by its own doing", async () => {
  const { app, id, run, file } = await sitting([ask, done, done]);
  await run();
  writeFileSync(file, "2\n");
  await app.tasks.answer(id, "I mended it, just finish");
  const end = await run();
  await app.close();
  expect(end).toMatchObject({ status: "complete", verified: false, reason: "finished, not verified: this task changed nothing" });
});

test("CTX-024: when the steps are used up, the report says how things stand after the last one, and more can be granted", async () => {
  const { app, id, run } = await sitting([change, done], 1);
  const first = await run();
  expect(first).toMatchObject({ status: "escalated", code: "STEP_BUDGET", changed_files: ["n.txt"] });
  expect(first.report).toContain("Changed so far: n.txt");
  expect(first.report).not.toContain("Still failing");
  await app.tasks.reopen(id, { extraSteps: 3 });
  expect(await run()).toMatchObject({ status: "complete", verified: true });
  await app.close();
});

test("an unanswered question is not passed over in silence, and an empty answer is none", async () => {
  const { app, id, run, start } = await sitting([ask, done]);
  await run();
  await expect(app.tasks.answer(id, "  ")).rejects.toMatchObject({ code: "USAGE_EMPTY_ANSWER" });
  await app.tasks.reopen(id, { extraSteps: 0 });
  await run();
  const { user } = await app.tasks.context(id, 2);
  expect(user).toContain('You asked "really?" and the person let you go on without an answer');
  await expect(app.tasks.start({ ...start, checks: [" "] })).rejects.toMatchObject({ code: "USAGE_EMPTY_CHECK" });
  await expect(app.tasks.start({ ...start, model: "nonsense" })).rejects.toMatchObject({ tier: "user_fixable" });
  await app.close();
});

test("taking back knows what never was there, the byte-order mark and the mode; an undo cut off is finished by the next", async () => {
  const write = (file: string, content: string) => ({ name: "write_file", input: { path: file, content } });
  const project = scriptedProject(
    { "bom.txt": "\uFEFFhello\nworld", "run.sh": "#!/bin/sh\necho hi\n" },
    script([
      write("new.txt", "one\n"),
      { name: "edit_file", input: { path: "new.txt", find: "one", replace: "two" } },
      write("tmp.txt", "scratch\n"),
      { name: "delete_file", input: { path: "tmp.txt" } },
      write("a.txt", "A\n"),
      { name: "move_file", input: { from: "a.txt", to: "b.txt" } },
      { name: "edit_file", input: { path: "bom.txt", find: "hello", replace: "HELLO" } },
      { name: "delete_file", input: { path: "run.sh" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  chmodSync(path.join(project.dir, "run.sh"), 0o755);
  const before = filesOf(project.dir);
  const app = await project.open();
  const signal = new AbortController().signal;
  const id = await app.tasks.start({
    goal: "do things",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["true"],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  const end = await app.tasks.run(id, () => undefined, signal);
  expect(end.changed_files.toSorted()).toEqual(["b.txt", "bom.txt", "new.txt", "run.sh"]);
  const { text } = await app.changes.diff(id, signal);
  expect(text).toContain("+++ b/new.txt\n@@ -0,0 +1 @@\n+two");
  expect(text).toContain("@@ -1,2 +1,2 @@\n-hello\n+HELLO\n world\n\\ No newline at end of file");
  // A hand that took one file back already: the rest follows, and the record is complete.
  rmSync(path.join(project.dir, "new.txt"));
  expect(await app.changes.undo(id, { dryRun: false, force: false, signal })).toMatchObject({ kind: "undone", commands: 0 });
  expect(filesOf(project.dir)).toEqual(before);
  expect(readFileSync(path.join(project.dir, "bom.txt")).subarray(0, 6).toString("hex")).toBe("efbbbf68656c");
  expect(statSync(path.join(project.dir, "run.sh")).mode & 0o777).toBe(0o755);
  await app.close();
});

test("what a task noted reaches its role's memory even when its process ended before it could be put there", async () => {
  const note = { name: "note_fact", input: { subject: "other.txt", fact: "other.txt holds a number" } };
  const first = await sitting([{ name: "read_file", input: { path: "other.txt" } }, note, change, done]);
  const { dir: cwd, env } = first.project;
  const dying = await openApp({
    cwd,
    env,
    clock: systemClock,
    driver: { ...sqliteDriver, open: async (options) => cutOff(await sqliteDriver.open(options)) },
  });
  await expect(dying.tasks.run(first.id, () => undefined, new AbortController().signal)).rejects.toThrow("cut off");
  await dying.close();
  const recalled = async (app: typeof first.app): Promise<string> => JSON.stringify(await app.memory.load("engineer", {}));
  expect(await recalled(first.app)).not.toContain("holds a number");
  await first.app.close();
  const again = await first.open();
  expect(await again.tasks.show(first.id)).toMatchObject({ status: "complete", verified: true });
  // What cannot be made up for keeps nobody from working: here the role's folder is a file.
  const memory = path.join(path.dirname(first.file), ".sylk", "memory", "engineer");
  rmSync(memory, { recursive: true, force: true });
  mkdirSync(path.dirname(memory), { recursive: true });
  writeFileSync(memory, "in the way");
  const blocked = await first.open();
  expect(await blocked.tasks.start({ ...first.start, goal: "meanwhile" })).toMatch(/^task_/);
  await blocked.close();
  rmSync(memory);
  await again.tasks.start({ ...first.start, goal: "another" });
  expect(await recalled(again)).toContain("holds a number");
  await again.close();
});
