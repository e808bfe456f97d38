/** Going back to a step: files as they were then, and the next request tells nothing of what came after. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { filesOf, script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const write = (file: string, content: string): ScriptedCall => ({ name: "write_file", input: { path: file, content } });
const FILES = { "a.txt": "zero\n", "gone.txt": "here\n" };
const STEPS: (ScriptedCall | ScriptedCall[])[] = [
  write("a.txt", "one\n"),
  write("a.txt", "two\n"),
  write("b.txt", "belated\n"),
  [
    { name: "note_fact", input: { subject: "the colour", fact: "it must be green" } },
    { name: "scratchpad", input: { key: "sketch", note: "a round one" } },
  ],
  { name: "ask_user", input: { question: "enough?" } },
  { name: "complete", input: { summary: "went on" } },
];
/** What only later steps brought. */
const LATER = ["green", "sketch", "b.txt", "enough?", "purple"];

async function worked(more: { worktree?: boolean } = {}) {
  const project = scriptedProject(FILES, script(STEPS));
  const app = await project.open();
  const id = await app.tasks.start({
    goal: "write some files",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: [],
    discoverChecks: false,
    model: project.rules,
    profile: "default",
    maxSteps: undefined,
    ...more,
  });
  await app.tasks.run(id, () => undefined, never);
  return { project, app, id, file: (name: string) => path.join(project.dir, name) };
}

const back = (to_step: number, more: { force?: boolean; dry_run?: boolean } = {}) =>
  ({ type: "task.undo", dry_run: false, force: false, to_step, ...more }) as const;

test("back to a step: later changes are gone, earlier ones stay, the next request knows nothing of them, and the task goes on", async () => {
  const { project, app, id } = await worked();
  await app.tasks.answer(id, "not quite, make it purple");
  expect((await app.tasks.run(id, () => undefined, never)).status).toBe("complete");
  const { user: before } = await app.tasks.context(id, 6);
  for (const known of LATER) expect(before).toContain(known);
  expect(filesOf(project.dir)).toMatchObject({ "a.txt": "two\n", "b.txt": "belated\n" });
  expect(await app.api.send({ id, ...back(1, { dry_run: true }) })).toMatchObject({ kind: "undone", dry_run: true });
  expect(filesOf(project.dir)).toMatchObject({ "b.txt": "belated\n" });
  expect(await app.api.send({ id, ...back(1) })).toMatchObject({ kind: "undone", files: ["a.txt", "b.txt"] });
  expect(filesOf(project.dir)).toEqual({ "a.txt": "one\n", "gone.txt": "here\n" });
  const stands = await app.tasks.show(id);
  expect([stands.status, stands.changed_files, stands.steps.map(({ step }) => step)]).toEqual(["paused", ["a.txt"], [1]]);
  await app.tasks.reopen(id, { extraSteps: 0 });
  const end = await app.tasks.run(id, () => undefined, never);
  expect(end.step).toBeGreaterThan(6);
  const { user } = await app.tasks.context(id, 7);
  expect(user).toContain("The person went back to how things stood after step 1");
  for (const later of LATER) expect(user).not.toContain(later);
  // All the way, as before it began.
  await app.api.send({ id, ...back(0) });
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});

test("what somebody else changed since is theirs: nothing is taken back unless it is forced; a step that is not there is said so", async () => {
  const { app, id, file } = await worked();
  writeFileSync(file("b.txt"), "mine\n");
  expect(await app.api.send({ id, ...back(1) })).toMatchObject({ kind: "changed_since", files: ["b.txt"] });
  expect([readFileSync(file("a.txt"), "utf8"), (await app.tasks.show(id)).status]).toEqual(["two\n", "escalated"]);
  await expect(app.api.send({ id, ...back(9) })).rejects.toThrow("there is no step after 9");
  const asked = async (): Promise<string[]> => (await app.api.query({ type: "question.list", ended: true })).map(({ status }) => status);
  expect(await asked()).toEqual(["open"]);
  expect(await app.api.send({ id, ...back(1, { force: true }) })).toMatchObject({ kind: "undone" });
  expect(await asked()).toEqual(["withdrawn"]);
  expect([readFileSync(file("a.txt"), "utf8"), existsSync(file("b.txt"))]).toEqual(["one\n", false]);
  await app.close();
});

test("back, forward again and back: each time the files are those of that step, and nothing comes after the last", async () => {
  const { project, app, id } = await worked();
  const early = { "a.txt": "one\n", "gone.txt": "here\n" };
  await app.api.send({ id, ...back(1) });
  expect(filesOf(project.dir)).toEqual(early);
  expect(await app.api.send({ id, ...back(3) })).toMatchObject({ kind: "undone", files: ["a.txt", "b.txt"] });
  expect(filesOf(project.dir)).toEqual({ ...FILES, "a.txt": "two\n", "b.txt": "belated\n" });
  await app.api.send({ id, ...back(1) });
  expect(filesOf(project.dir)).toEqual(early);
  await expect(app.api.send({ id, ...back(5) })).rejects.toThrow("there is no step after 5");
  await app.close();
});

test("what was merged from a tree of its own goes back as a whole, never to one of its steps", async () => {
  const { project, app, id } = await worked({ worktree: true });
  await expect(app.api.send({ id, ...back(1) })).rejects.toThrow("nothing of it is in your folder");
  await app.tasks.answer(id, "yes");
  await app.tasks.run(id, () => undefined, never);
  expect(await app.api.send({ type: "task.merge", id })).toMatchObject({ kind: "merged" });
  const merged = { ...FILES, "a.txt": "two\n", "b.txt": "belated\n" };
  expect(filesOf(project.dir)).toEqual(merged);
  await expect(app.api.send({ id, ...back(1) })).rejects.toThrow("only its merge as a whole");
  expect(filesOf(project.dir)).toEqual(merged);
  await app.close();
});
