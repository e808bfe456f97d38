/** A task in a real folder, with a model that says what it is told to say: lies, or does right. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Result } from "../../../src/protocol/api/index.ts";
import type { TaskLine } from "../../../src/surface/task-line.ts";
import { taskExit } from "../../../src/surface/cli/run-and-show.ts";
import type { App, StartTask } from "../../support/lab.ts";
import { script, scriptedProject, type ScriptedCall } from "../../support/scripted-project.ts";

export const ADD = {
  "add.mjs": "export const add = (a, b) => a - b;\nexport const name = () => 'add';\n",
  "name.test.mjs":
    'import assert from "node:assert/strict";\nimport test from "node:test";\nimport { name } from "./add.mjs";\ntest("it has a name", () => assert.equal(name(), "add"));\n',
};

/** Of what the goal is about. */
export const ADD_TEST =
  'import assert from "node:assert/strict";\nimport test from "node:test";\nimport { add } from "./add.mjs";\ntest("it adds", () => assert.equal(add(1, 2), 3));\n';

/** In one process: quicker, and the same report. */
export const SUITE = "node --test --test-isolation=none";

export const edit = (file: string, find: string, replace: string): ScriptedCall => ({
  name: "edit_file",
  input: { path: file, find, replace },
});
export const write = (file: string, content: string): ScriptedCall => ({ name: "write_file", input: { path: file, content } });
export const done: ScriptedCall = { name: "complete", input: { summary: "done" } };
export const fix = edit("add.mjs", "a - b", "a + b");
export const comment = edit("add.mjs", "export const add", "// adds two numbers\nexport const add");

export interface Trap extends Partial<Pick<StartTask, "goal" | "type" | "checks" | "reproduce" | "maxSteps">> {
  files?: Record<string, string>;
  steps: readonly ScriptedCall[];
  git?: boolean;
}

export interface Sprung {
  app: App;
  id: string;
  dir: string;
  end: Result<"task.show">;
  exit: number;
  lines: TaskLine[];
  run(): Promise<Result<"task.show">>;
}

export async function spring({ files = ADD, steps, git = true, goal, type, checks, reproduce, maxSteps }: Trap): Promise<Sprung> {
  const project = scriptedProject(files, script(steps));
  if (!git) rmSync(path.join(project.dir, ".git"), { recursive: true });
  const app = await project.open();
  onTestFinished(() => app.close());
  const lines: TaskLine[] = [];
  const id = await app.tasks.start({
    goal: goal ?? "add() must add",
    type: type ?? "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: checks ?? [SUITE],
    reproduce,
    model: project.rules,
    profile: "minimal",
    maxSteps: maxSteps ?? 12,
  });
  const run = (): Promise<Result<"task.show">> => app.tasks.run(id, (line) => lines.push(line), new AbortController().signal);
  const end = await run();
  return { app, id, dir: project.dir, end, exit: taskExit(end), lines, run };
}

/** Somebody else at work. */
export function put(dir: string, file: string, text: string): void {
  writeFileSync(path.join(dir, file), text);
}
