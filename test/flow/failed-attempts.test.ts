/** Attempts that fail one after the other: go on, be warned, be stopped and taken back; new work beside them is no attempt. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { filesOf, script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
import type { App } from "../support/lab.ts";
import { FILES, complete } from "./failed-attempts.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;

const total = (body: string): ScriptedCall => ({
  name: "write_file",
  input: { path: "src/total.mjs", content: `export const total = (items) => ${body};\n` },
});

const RIGHT = total("items.reduce((a, b) => a + b, 0)");

async function begin(app: App, project: ScriptedProject, model = project.rules): Promise<string> {
  return app.tasks.start({
    goal: "total adds its items up",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["node check.mjs"],
    model,
    profile: "default",
    maxSteps: undefined,
  });
}

async function factsOf(app: App, id: string, ...types: string[]): Promise<{ type: string; payload: Record<string, unknown> }[]> {
  const found: { type: string; payload: Record<string, unknown> }[] = [];
  for await (const { type, stream, payload } of app.journal.export({ filter: { types }, signal: never }))
    if (stream === `task/${id}`) found.push({ type, payload: payload as Record<string, unknown> });
  return found;
}

test("HOO-023 HOO-026: one failure goes on, the second warns the next step, the third stops: taken back, written down, similar ones looked up, help asked; nothing more is tried until somebody answers", async () => {
  const tries = [total("items.length + 0"), total("items.length + 7"), total("items.length * 7")];
  const project = scriptedProject(FILES, script([...tries, RIGHT, complete]));
  const app = await project.open();
  await app.memory.reportMistake(
    { pattern: "total from the length of items", error: "total is not right", fix: "add the items up with reduce" },
    { dryRun: false },
  );
  const id = await begin(app, project);
  const stopped = await app.tasks.run(id, () => undefined, never);
  expect([stopped.status, stopped.why, stopped.step]).toEqual(["escalated", "attempts_fail", 3]);
  // The second step heard nothing of it, the third a warning with what is known.
  expect((await app.tasks.context(id, 2)).user).not.toContain("attempts in a row");
  const { user } = await app.tasks.context(id, 3);
  expect(user).toContain("2 attempts in a row left the same failing; one more and the work is stopped and they are taken back");
  expect(user).toContain("total from the length of items");
  expect(filesOf(project.dir)).toMatchObject(FILES);
  for (const part of [
    "3 attempts in a row left the same failing",
    "What was tried:\n- step 1: src/total.mjs: step 1\n- step 2: src/total.mjs: step 2\n- step 3: src/total.mjs: step 3",
    "Still failing: check: ",
    "Taken back: src/total.mjs, as before step 1.",
    "Similar failures:\n- total from the length of items",
    "Other ways:\n- add the items up with reduce\n- read the failure from its first line",
  ])
    expect(stopped.report).toContain(part);
  const known = await app.memory.mistakes();
  expect(known).toContainEqual(expect.objectContaining({ occurrences: 1, fix: "", context: "attempts at src/total.mjs" }));
  expect((await app.questions.list({ ended: false })).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^3 attempts in a row left the same failing: check: .* What should be done otherwise\?$/u),
  ]);
  // Run again without an answer it rests: no model is asked.
  expect((await app.tasks.run(id, () => undefined, never)).step).toBe(3);
  expect((await factsOf(app, id, "task.stepped")).length).toBe(3);
  await app.tasks.answer(id, "add them up");
  const end = await app.tasks.run(id, () => undefined, never);
  expect([end.status, end.verified]).toEqual(["complete", true]);
  expect(filesOf(project.dir)["src/total.mjs"]).toContain("reduce");
  await app.close();
});

test("~HOO-023: new lines beside the old ones are no failed attempt, however many; another failure than before begins the count anew", async () => {
  const lines = ["const a = 1;", "const b = 2;", "const c = 3;", "const d = 4;", "const e = 5;"];
  const grows = lines.map((_, i): ScriptedCall => ({
    name: "write_file",
    input: { path: "src/total.mjs", content: `${lines.slice(0, i + 1).join("\n")}\nexport const total = (items) => items.length;\n` },
  }));
  const project = scriptedProject(FILES, script([...grows, RIGHT, complete]));
  const app = await project.open();
  const id = await begin(app, project);
  const end = await app.tasks.run(id, () => undefined, never);
  expect([end.status, end.verified]).toEqual(["complete", true]);
  const other = [
    total("items.length + 0"),
    total("items.length + 7"),
    total("items.broken.here"),
    total("items.broken.here + 0"),
    RIGHT,
    complete,
  ];
  const second = scriptedProject(FILES, script(other));
  const app2 = await second.open();
  const again = await begin(app2, second);
  expect((await app2.tasks.run(again, () => undefined, never)).status).toBe("complete");
  expect(await factsOf(app2, again, "task.taken_back")).toEqual([]);
  await app.close();
  await app2.close();
});

test("~HOO-023: where somebody else wrote between the attempts the file is theirs too: it stays as it is, and the report says so", async () => {
  const edit = (find: string, replace: string): ScriptedCall => ({ name: "edit_file", input: { path: "src/total.mjs", find, replace } });
  const tries = [edit("items.length", "items.length + 0"), edit("length + 0", "length + 7"), edit("length + 7", "length * 7")];
  const project = scriptedProject(FILES, script(tries));
  const app = await project.open();
  const id = await begin(app, project);
  const file = path.join(project.dir, "src/total.mjs");
  const theirs = (): void => {
    const text = readFileSync(file, "utf8");
    if (text.includes("+ 0") && !text.includes("mine")) writeFileSync(file, `// mine\n${text}`);
  };
  const stopped = await app.tasks.run(id, theirs, never);
  expect([stopped.status, stopped.why]).toEqual(["escalated", "attempts_fail"]);
  expect(readFileSync(file, "utf8")).toBe("// mine\nexport const total = (items) => items.length * 7;\n");
  expect(stopped.report).toContain("Nothing could be taken back.");
  await app.close();
});
