/** What a step does besides files and commands is done once, and a process that lost its task does nothing more. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openApp, type App } from "../support/lab.ts";
import { type Store, sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { elsewhere } from "../support/elsewhere.ts";
import { privateOf, script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

const signal = new AbortController().signal;

interface Watched {
  before?: (types: string[]) => void;
  after?: (types: string[]) => Promise<void>;
  from?: (store: Store) => Store;
}

/** An app that is told of every append to a task, before and after it. */
async function watched(project: ScriptedProject, { before, after, from = (store) => store }: Watched): Promise<App> {
  const around = (store: Store): Store => ({
    ...store,
    journal: {
      ...store.journal,
      append: async (stream, seq, events, fence) => {
        const types = stream.startsWith("task/") ? events.map((event) => event.type) : [];
        before?.(types);
        const written = await store.journal.append(stream, seq, events, fence);
        await after?.(types);
        return written;
      },
    },
  });
  return openApp({
    cwd: project.dir,
    env: project.env,
    clock: systemClock,
    driver: { ...sqliteDriver, open: async (options) => from(around(await sqliteDriver.open(options))) },
  });
}

function start(app: App, project: ScriptedProject, role: string, type: string): Promise<string> {
  return app.tasks.start({
    goal: "store what was decided",
    type,
    role,
    criteria: [],
    constraints: [],
    checks: [],
    discoverChecks: false,
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
}

test("a summary stored by a step that was cut off before its result is stored once", async () => {
  const note = (content: string): ScriptedCall => ({ name: "store_summary", input: { content, summary_type: "decision" } });
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([[note("Tokens are made in one place."), note("Tickets too.")], { name: "complete", input: { summary: "kept" } }]),
  );
  let cut = true;
  const first = await watched(project, {
    before: (types) => {
      if (!cut || !types.includes("task.acted")) return;
      cut = false;
      throw new Error("the disk is gone for a moment");
    },
  });
  const id = await start(first, project, "archivalist", "discover");
  await expect(first.tasks.run(id, () => undefined, signal)).rejects.toThrow("the disk is gone");
  await first.close();
  const app = await project.open();
  expect((await app.tasks.run(id, () => undefined, signal)).status).toBe("complete");
  await app.close();
  await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
  const stored = (await store.journal.read("knowledge")).filter((event) => event.type === "knowledge.summary_stored");
  expect(stored.map((event) => (event.payload as { content: string }).content).toSorted()).toEqual([
    "Tickets too.",
    "Tokens are made in one place.",
  ]);
});

test.each([
  ["write_file", { path: "made.txt", content: "made\n" }],
  ["run_command", { command: "echo made > made.txt" }],
])("V1: a task taken over between the intent and the act: %s does nothing more", async (name, input) => {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([
      { name, input },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const file = path.join(privateOf(project), "sylk.db");
  let key = "";
  const app = await watched(project, {
    from: (store) => elsewhere(store),
    after: async (types) => {
      if (!types.includes("task.intended")) return;
      // Another process, for which the lease has run out.
      await using other = await sqliteDriver.open({ path: file, clock: { ...systemClock, now: () => Date.now() + 60_000 } });
      expect(await other.work.claim(key, "another", 60_000)).toBeDefined();
    },
  });
  onTestFinished(() => app.close());
  const id = await start(app, project, "engineer", "implement_feature");
  key = `task/${id}`;
  await expect(app.tasks.run(id, () => undefined, signal)).rejects.toMatchObject({ code: "TASK_RUNS_ELSEWHERE" });
  expect(existsSync(path.join(project.dir, "made.txt"))).toBe(false);
  expect(readFileSync(path.join(project.dir, "a.txt"), "utf8")).toBe("one\n");
});

/** A task whose command ran, and whose process died before it could say so; `lose` is what the disk forgot. */
async function cutAfterCommand(lose: (record: string) => void): Promise<{ log: string; outcome: string; resumed: string }> {
  const project = scriptedProject(
    { "a.txt": "one\n" },
    script([
      { name: "run_command", input: { command: "echo ran >> log.txt" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  let cut = true;
  const first = await watched(project, {
    before: (types) => {
      if (!cut || !types.includes("task.acted")) return;
      cut = false;
      throw new Error("the power is gone");
    },
  });
  const id = await start(first, project, "engineer", "implement_feature");
  await expect(first.tasks.run(id, () => undefined, signal)).rejects.toThrow("the power is gone");
  await first.close();
  lose(path.join(privateOf(project), "tasks/.runs", id, "1"));
  const app = await project.open();
  const resumed = await app.tasks.run(id, () => undefined, signal);
  await app.close();
  await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
  const acted = (await store.journal.read(`task/${id}`)).find((event) => event.type === "task.acted");
  const { outcome } = (acted as { payload: unknown }).payload as { outcome: string };
  return { log: readFileSync(path.join(project.dir, "log.txt"), "utf8"), outcome, resumed: resumed.status };
}

test("V3: a command whose record was lost with the power is reported, not run again", async () => {
  const lost = await cutAfterCommand((record) => rmSync(path.dirname(path.dirname(record)), { recursive: true }));
  expect(lost).toEqual({ log: "ran\n", outcome: "cut_off", resumed: "complete" });
});

test("V3: a command that was being started when its process died is reported, not run again", async () => {
  const lost = await cutAfterCommand((record) =>
    ["started", "stdout", "stderr", "exit"].forEach((name) => rmSync(path.join(record, name))),
  );
  expect(lost).toEqual({ log: "ran\n", outcome: "cut_off", resumed: "complete" });
});

test("V4: an exit status that lost its content is no success", async () => {
  const lost = await cutAfterCommand((record) => writeFileSync(path.join(record, "exit"), ""));
  expect(lost).toEqual({ log: "ran\n", outcome: "cut_off", resumed: "complete" });
});

test("V17: the number of a shell that is gone may be another's by now: nobody waits for that one", async () => {
  const lost = await cutAfterCommand((record) => {
    rmSync(path.join(record, "exit"));
    const started = readFileSync(path.join(record, "started"), "utf8");
    expect(started).toMatch(/^\d+ \S+ \d+ \(/u);
    // This very process lives and has that number, but it began at another time.
    writeFileSync(path.join(record, "started"), started.replace(/^\d+/u, String(process.pid)));
  });
  expect(lost).toEqual({ log: "ran\n", outcome: "cut_off", resumed: "complete" });
});
