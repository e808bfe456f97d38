/** A journal that an earlier version wrote opens, verifies, is read in today's shapes, and its tasks go on. */
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openApp, type App } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { tempDir } from "../support/temp.ts";

const FIXTURE = path.join(import.meta.dirname, "../fixtures/journal-84bb5c7");

async function opened(): Promise<{ app: App; dir: string }> {
  const base = tempDir("sylk-earlier");
  const dir = path.join(base, "project");
  mkdirSync(base, { recursive: true });
  cpSync(path.join(FIXTURE, "project"), dir, { recursive: true });
  cpSync(path.join(FIXTURE, "home"), path.join(base, "home"), { recursive: true });
  cpSync(path.join(FIXTURE, "dot-sylk"), path.join(dir, ".sylk"), { recursive: true });
  cpSync(path.join(FIXTURE, "dot-agents"), path.join(dir, ".agents"), { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: path.join(base, "home") };
  return { app: await openApp({ cwd: dir, env, clock: systemClock }), dir };
}

const signal = new AbortController().signal;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const item of items) out.push(item);
  return out;
}

test("a journal of 84bb5c7 verifies, and its tasks, skills and memory are listed", async () => {
  const { app } = await opened();
  expect(await app.journal.verify()).toMatchObject({ valid: true, problems: [], events: 148 });
  const tasks = await app.tasks.list();
  expect(tasks.map(({ goal, status, why, verified }) => ({ goal, status, why, verified }))).toEqual([
    { goal: "the interrupted task", status: "interrupted", why: "goes_on", verified: false },
    { goal: "the stuck task", status: "escalated", why: "monitor_stops", verified: false },
    { goal: "the asking task", status: "escalated", why: "agent_asks", verified: false },
    { goal: "the finished task", status: "complete", why: "done", verified: true },
  ]);
  const [interrupted] = tasks;
  expect(await app.tasks.show(interrupted?.id ?? "")).toMatchObject({ step: 1, changed_files: ["b.txt"], usage: { calls: 2 } });
  expect((await app.skills.list(signal)).skills.map(({ name }) => name)).toEqual(["release-notes-write"]);
  expect(await app.memory.log("architect")).toMatchObject([{ actor: "user", reason: "saved" }]);
  await app.close();
});

test("what version 1 wrote is read in today's shape: actors in one spelling, a task's id where it belongs", async () => {
  const { app } = await opened();
  const [finished] = (await app.tasks.list()).filter(({ status }) => status === "complete");
  const lines = await all(app.audit.query({ task: finished?.id }, signal));
  const recorded = lines.filter(({ event_type }) => event_type.startsWith("permission_"));
  expect(new Set(recorded.map(({ actor, session_id, task_id }) => `${actor} ${session_id} ${task_id}`))).toEqual(
    new Set([`agent/engineer default ${finished?.id}`]),
  );
  expect(recorded.length).toBeGreaterThan(0);
  expect(new Set(lines.map(({ actor }) => actor))).toEqual(new Set(["user", "agent/engineer", "system/engine", "system/model"]));
  // What is exported stays as it was written: it is what the hashes cover.
  const events = await all(app.journal.export({ filter: { stream: "task/" }, signal }));
  expect(events.map(({ actor }) => actor)).toContain("agent:engineer");
  expect(events.every(({ payload }) => !Object.hasOwn(payload as object, "why"))).toBe(true);
  await app.close();
});

test("a task that 84bb5c7 left killed goes on where it stood, and one that waits takes its answer", async () => {
  const { app, dir } = await opened();
  const [interrupted, , asking] = await app.tasks.list();
  const end = await app.tasks.run(interrupted?.id ?? "", () => undefined, signal);
  expect(end).toMatchObject({ status: "complete", step: 3, report: "both shout" });
  // It was asked for before the kill and done after it.
  expect(readFileSync(path.join(dir, "c.txt"), "utf8")).toBe("THREE\n");
  const acted = await all(app.journal.export({ filter: { stream: `task/${interrupted?.id}`, types: ["task.acted"] }, signal }));
  expect(acted).toHaveLength(3);
  await app.tasks.answer(asking?.id ?? "", "the first");
  expect(await app.tasks.run(asking?.id ?? "", () => undefined, signal)).toMatchObject({ status: "complete", report: "answered" });
  expect(await app.journal.verify()).toMatchObject({ valid: true });
  await app.close();
});
