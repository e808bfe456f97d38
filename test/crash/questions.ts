/** What `questions.test.ts` and its long form share. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { choose } from "../support/answering.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;

export const POINTS = ["before_asked", "after_asked", "waiting", "after_answered"] as const;

const WISH = "review SQL migrations for locking problems";

/** Killed at the point; the exit of a killed process has no code. */
function killedAt(project: ScriptedProject, what: string, point: string): void {
  const child = spawnSync(process.execPath, [path.resolve("test/crash/question-child.ts"), project.dir, what, point], {
    env: { ...project.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    encoding: "utf8",
  });
  expect(`${child.signal} ${child.stderr}`).toBe("SIGKILL ");
}

export async function taskGoesOn(point: (typeof POINTS)[number]): Promise<void> {
  const command = { name: "run_command", input: { command: "printenv NOTHING >> ran.txt; echo x >> ran.txt" } };
  const project = scriptedProject({ "a.txt": "a" }, script([command, { name: "complete", input: { summary: "done" } }]));
  const first = await project.open();
  const id = await first.tasks.start({
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
  await first.close();
  killedAt(project, id, point);
  expect(existsSync(path.join(project.dir, "ran.txt"))).toBe(false);
  const app = await project.open();
  const open = await app.questions.list({ ended: false });
  expect(open.map(({ asker }) => asker)).toEqual(point === "after_asked" || point === "waiting" ? [{ kind: "task", id }] : []);
  for (const question of open) await app.questions.answer(question.id, choose("once"), never);
  let end = await app.tasks.run(id, () => undefined, never);
  // Killed before it had asked, it asks now.
  expect(end.why === "waits_for_answer").toBe(point === "before_asked");
  if (end.question_id !== undefined) {
    await app.questions.answer(end.question_id ?? "", choose("once"), never);
    end = await app.tasks.run(id, () => undefined, never);
  }
  expect(end).toMatchObject({ status: "complete" });
  expect(readFileSync(path.join(project.dir, "ran.txt"), "utf8")).toBe("x\n");
  expect(await app.questions.list({ ended: true })).toMatchObject([{ status: "answered" }]);
  await app.close();
}

export async function skillIsInstalled(point: (typeof POINTS)[number]): Promise<void> {
  const project = scriptedProject({ "a.txt": "a" }, "rules: []\n");
  killedAt(project, WISH, point);
  const app = await project.open();
  expect((await app.skills.open()).map(({ phase }) => phase)).toEqual(["validate"]);
  if (point === "before_asked") await app.skills.resume(undefined, { dryRun: false }, {}, never).catch(() => undefined);
  const open = await app.questions.list({ ended: false });
  for (const question of open) await app.questions.answer(question.id, choose("approve"), never);
  expect(open).toHaveLength(point === "after_answered" ? 0 : 1);
  expect(await app.skills.resume(undefined, { dryRun: false }, {}, never)).toMatchObject({ kind: "installed" });
  await app.close();
}
