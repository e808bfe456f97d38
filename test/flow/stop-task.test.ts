/** Cancel and pause from another process, while a model answers or a command runs: nothing acts after they were acknowledged. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { openApp, type App } from "../support/lab.ts";
import { sqliteDriver } from "../../src/journal/index.ts";
import { newId, systemClock } from "../../src/kernel/index.ts";
import type { TaskLine } from "../../src/surface/task-line.ts";
import { privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { startWireServer, type WireServer } from "../support/wire-server/wire-server.ts";
import type { WireAnswer } from "../support/wire-server/wire-types.ts";

const signal = new AbortController().signal;

function start(app: App, model: string): Promise<string> {
  const words = { goal: "make a file", type: "implement_feature", role: "engineer", criteria: [], constraints: [], checks: [] };
  return app.tasks.start({ ...words, discoverChecks: false, model, profile: "minimal", maxSteps: undefined });
}

async function opened(project: ScriptedProject): Promise<App> {
  const app = await project.open();
  onTestFinished(() => app.close());
  return app;
}

interface Answering {
  project: ScriptedProject;
  server: WireServer;
  /** Two processes' views of one project. */
  mine: App;
  other: App;
}

async function answering(
  respond: (n: number, at: { other: App; id: () => string }) => Promise<WireAnswer>,
): Promise<Answering & { id: string }> {
  const project = scriptedProject({ "a.txt": "one\n" }, script([]));
  let id = "";
  const others: App[] = [];
  const server = await startWireServer(({ n }) => respond(n, { other: others[0] as App, id: () => id }));
  onTestFinished(() => server[Symbol.asyncDispose]());
  mkdirSync(path.join(project.base, "home"), { recursive: true });
  writeFileSync(
    path.join(project.base, "home/config.yaml"),
    stringify({ llm: { providers: { wire: { kind: "openai-chat", base_url: `${server.url}/v1` } } } }),
  );
  const mine = await opened(project);
  const other = await opened(project);
  others.push(other);
  id = await start(mine, "wire/m");
  return { project, server, mine, other, id };
}

const writes = (file: string): WireAnswer => ({ toolCalls: [{ name: "write_file", input: { path: file, content: "made\n" } }] });

test("D1: cancelled while its model answers, a task does nothing more: the call is aborted, no file, no further call", async () => {
  const { project, server, mine, id } = await answering(async (_n, { other, id: task }) => {
    await other.tasks.cancel(task(), "enough");
    return writes("after-cancel.txt");
  });
  const end = await mine.tasks.run(id, () => undefined, signal);
  expect(end.status).toBe("cancelled");
  expect(existsSync(path.join(project.dir, "after-cancel.txt"))).toBe(false);
  expect(server.requests).toHaveLength(1);
  await vi.waitFor(() => expect(server.abandoned).toBe(1));
});

test("~SIG-023 D2: a pause asked for while its model answers gives that call up; nothing comes of it, and the task goes on when it is resumed", async () => {
  const { project, server, mine, id } = await answering(async (n, { other, id: task }) => {
    if (n === 1) await other.tasks.pause(task());
    // It would never answer by itself.
    if (n === 1) await new Promise<never>(() => undefined);
    return n === 2 ? writes("first.txt") : { toolCalls: [{ name: "complete", input: { summary: "done" } }] };
  });
  const rest = await mine.tasks.run(id, () => undefined, signal);
  expect(rest).toMatchObject({ status: "paused", code: "PAUSED", step: 0 });
  expect(server.requests).toHaveLength(1);
  await vi.waitFor(() => expect(server.abandoned).toBe(1));
  await mine.tasks.reopen(id, { extraSteps: 0 });
  expect((await mine.tasks.run(id, () => undefined, signal)).status).toBe("complete");
  expect(existsSync(path.join(project.dir, "first.txt"))).toBe(true);
});

test("D2: a pause asked for while nobody runs the task is over when somebody goes on with it", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const app = await opened(project);
  const id = await start(app, project.rules);
  await app.tasks.pause(id);
  await app.tasks.reopen(id, { extraSteps: 0 });
  expect((await app.tasks.run(id, () => undefined, signal)).step).toBeGreaterThan(0);
});

test("D1: cancelled while its command runs, a task ends it; nothing of it stays (V8, V9)", async () => {
  const command = "echo begun > begun.txt; sleep 60; echo late > late.txt";
  const project = scriptedProject({ "a.txt": "one\n" }, script([{ name: "run_command", input: { command } }]));
  const [mine, other] = [await opened(project), await opened(project)];
  const id = await start(mine, project.rules);
  const ran = mine.tasks.run(id, () => undefined, signal);
  await vi.waitFor(() => expect(existsSync(path.join(project.dir, "begun.txt"))).toBe(true), { timeout: 20_000 });
  await other.tasks.cancel(id, "enough");
  expect(existsSync(path.join(privateOf(project), "tasks/.runs", id))).toBe(false);
  expect((await ran).status).toBe("cancelled");
  expect(existsSync(path.join(project.dir, "late.txt"))).toBe(false);
});

test("V8: cancelling a task that died while it wrote removes what it left beside its files", async () => {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([
      { name: "write_file", input: { path: "made.txt", content: "made\n" } },
      { name: "ask_user", input: { question: "and now?" } },
    ]),
  );
  const app = await opened(project);
  const id = await start(app, project.rules);
  await app.tasks.run(id, () => undefined, signal);
  const left = `.made.txt.${newId("tmp", 1_800_000_000_000)}`;
  writeFileSync(path.join(project.dir, left), "made\n");
  await app.tasks.cancel(id, "enough");
  expect(readdirSync(project.dir)).not.toContain(left);
});

test("V8: cancelling a task that died between its intent and its first fact removes what that write left", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([{ name: "write_file", input: { path: "made.txt", content: "made\n" } }]));
  const dying = await openApp({
    cwd: project.dir,
    env: project.env,
    clock: systemClock,
    driver: {
      ...sqliteDriver,
      open: async (options) => {
        const store = await sqliteDriver.open(options);
        const append: typeof store.journal.append = (...given) =>
          given[2].some(({ type }) => type === "task.acted") ? Promise.reject(new Error("killed")) : store.journal.append(...given);
        return { ...store, journal: { ...store.journal, append } };
      },
    },
  });
  onTestFinished(() => dying.close());
  const id = await start(dying, project.rules);
  await expect(dying.tasks.run(id, () => undefined, signal)).rejects.toThrow("killed");
  const left = `.made.txt.${newId("tmp", 1_800_000_000_000)}`;
  writeFileSync(path.join(project.dir, left), "made\n");
  await (await opened(project)).tasks.cancel(id, "enough");
  expect(readdirSync(project.dir)).not.toContain(left);
});

test("D11: a task that begins where another works is told so, and work trees are offered", async () => {
  const shared = (into: string[]) => (line: TaskLine) => {
    if (line.type === "action" && line.outcome === "folder_shared") into.push(`${line.target}: ${line.summary}`);
  };
  const [first, second]: [string[], string[]] = [[], []];
  const { mine, id } = await answering(async (n, { other }) => {
    if (n === 1) await other.tasks.run(await start(other, "wire/m"), shared(second), signal);
    return { toolCalls: [{ name: "ask_user", input: { question: "and now?" } }] };
  });
  await mine.tasks.run(id, shared(first), signal);
  expect(second).toEqual([`${id}: another task works in this folder now: make a file; with -w each has a work tree of its own`]);
  expect(first).toEqual([]);
});
