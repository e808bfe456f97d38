/** A role, an action and an extension from outside the product, and what a task gets that anybody starts who has the engine. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { openApp } from "../support/lab.ts";
import { watchTask } from "../../src/surface/follow-task.ts";
import type { StepExtension } from "../../src/step/index.ts";
import { systemClock, systemPaths } from "../../src/kernel/index.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;

const ROLE = `---
summary: counts things
capabilities: [file_read, file_write]
actions: [tally]
---
You are the counter. You count what you are shown.
`;

/** What somebody else brings: an action that counts, and one that would write. */
function counting(seen: string[]): StepExtension {
  const common = { schema: z.object({ word: z.string() }), offeredTo: () => true };
  return {
    name: "counting",
    actions: [
      {
        ...common,
        name: "tally",
        summary: "Count a word.",
        effect: "none",
        target: (args) => String((args as { word: string }).word),
        execute: (args) =>
          Promise.resolve({ ok: true, outcome: "counted", summary: `${(args as { word: string }).word}: 3 times`, newsKey: "tally" }),
      },
      {
        ...common,
        name: "scribble",
        summary: "Write somewhere.",
        effect: "files",
        target: () => "",
        execute: () => (seen.push("scribbled"), Promise.resolve({ ok: true, outcome: "done", summary: "done" })),
      },
    ],
    given: ({ role }) => Promise.resolve({ inputs: { "what counts here": `words, says ${role}` } }),
    before: ({ action, args }) =>
      Promise.resolve(action.name === "tally" && (args as { word: string }).word === "secret" ? "that word is not counted" : undefined),
    begins: () => Promise.resolve([{ about: "project", target: "counting", outcome: "counts", summary: "counting begins" }]),
    rests: ({ status }) => (seen.push(status), Promise.resolve({ notices: [], facts: [] })),
  };
}

function withRole(steps: string, files: Record<string, string> = {}): ScriptedProject {
  const project = scriptedProject({ "a.txt": "a", ...files }, steps);
  const agents = path.join(systemPaths.dirs({ env: project.env, platform: process.platform }).config, "agents");
  mkdirSync(agents, { recursive: true });
  writeFileSync(path.join(agents, "counter.md"), ROLE);
  return project;
}

test("~CTX-009: a role and an action from outside run a task; an action that writes does not reach a type that only reads", async () => {
  const tally = (word: string) => ({ name: "tally", input: { word } });
  const project = withRole(
    script([
      tally("secret"),
      tally("plain"),
      { name: "scribble", input: { word: "x" } },
      { name: "complete", input: { summary: "three" } },
    ]),
    { "AGENTS.md": "Count with care.\n" },
  );
  const seen: string[] = [];
  const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock, extensions: [counting(seen)] });
  const lines: unknown[] = [];
  const task = { goal: "count", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: 8 };
  const id = await app.tasks.start({ ...task, type: "discover", role: "counter" });
  const end = await app.tasks.run(id, (line) => lines.push(line), never);
  expect(end).toMatchObject({ status: "complete", role: "counter" });
  const steps = end.steps.flatMap(({ actions }) => actions).join("\n");
  expect(steps).toContain("tally was refused: that word is not counted");
  expect(steps).toContain("tally plain → plain: 3 times");
  expect(steps).toContain("scribble is not");
  expect(seen).toEqual(["complete"]);
  const { user, system, tools } = await app.tasks.context(id, 1);
  expect(system).toContain("You are the counter.");
  expect(JSON.stringify(tools)).toContain("tally");
  expect(JSON.stringify(tools)).not.toContain("scribble");
  // What ships plugs in the same way: the project's rules are there too.
  expect(user).toContain("words, says counter");
  expect(user).toContain("Count with care.");
  const told = { type: "action", action: "project", outcome: "counts" };
  expect(lines).toContainEqual(expect.objectContaining(told));
  // Whoever looks from elsewhere, or later, is told the same.
  const watched = await Array.fromAsync(watchTask(app.api, id, never));
  expect(watched).toContainEqual(expect.objectContaining(told));
  await app.close();
});

test("a task type that writes has the action for a role that may, and not for one that may not", async () => {
  const steps = script([
    { name: "scribble", input: { word: "x" } },
    { name: "complete", input: { summary: "done" } },
  ]);
  const allowed = async (role: string): Promise<boolean> => {
    const project = withRole(steps);
    const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock, extensions: [counting([])] });
    const task = { goal: "write", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: 3 };
    const id = await app.tasks.start({ ...task, type: "implement_feature", role, discoverChecks: false });
    await app.tasks.run(id, () => undefined, never);
    const { tools } = await app.tasks.context(id, 1);
    await app.close();
    expect(existsSync(path.join(project.dir, "a.txt")) && readFileSync(path.join(project.dir, "a.txt"), "utf8")).toBe("a");
    return JSON.stringify(tools).includes("scribble");
  };
  expect([await allowed("counter"), await allowed("librarian")]).toEqual([true, false]);
});
