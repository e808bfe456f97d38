/** What a step does besides files and commands is done once, and a process that lost its task does nothing more. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openApp, type App } from "../../src/app/index.ts";
import { openStore, type Store } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { privateOf, script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";

const signal = new AbortController().signal;

interface Watched {
  before?: (types: string[]) => void;
  after?: (types: string[]) => Promise<void>;
}

/** An app that is told of every append to a task, before and after it. */
async function watched(project: ScriptedProject, { before, after }: Watched): Promise<App> {
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
    openStore: async (options) => around(await openStore(options)),
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
  await using store = await openStore({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
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
    after: async (types) => {
      if (!types.includes("task.intended")) return;
      // Another process, for which the lease has run out.
      await using other = await openStore({ path: file, clock: { ...systemClock, now: () => Date.now() + 60_000 } });
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
