/** What `kept-mode.test.ts` and its long form share. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

export const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n',
};

const edit = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };

const complete = { name: "complete", input: { summary: "add() adds now" } };

const read = { name: "read_file", input: { path: "add.mjs" } };

const TWICE = script([read, edit, edit, complete]);

const ASK_EDITS = ["--permission-mode", "ask-edits"];

export const sylkIn =
  (project: ScriptedProject) =>
  (...args: string[]) =>
    runSylk(project.dir, project.env, args);

const start = (project: ScriptedProject, ...more: string[]): string[] => [
  "task",
  "start",
  "make add() add",
  "--check",
  "node check.mjs",
  "-m",
  project.rules,
  ...more,
];

export const added = (project: ScriptedProject): string => readFileSync(path.join(project.dir, "add.mjs"), "utf8");

interface Asked {
  id: string;
  status: string;
  ask: { kind: string };
}

/** A task that rests for a yes to its edit. */
export async function resting(): Promise<{ project: ScriptedProject; id: string }> {
  const project = scriptedProject(FILES, TWICE);
  const sylk = sylkIn(project);
  expect(await sylk(...ASK_EDITS, ...start(project, "--max-steps", "5"))).toMatchObject({
    code: 4,
    out: expect.stringContaining("modify add.mjs") as string,
  });
  const [asked] = JSON.parse((await sylk("questions", "--json")).out) as Asked[];
  return { project, id: asked?.id ?? "" };
}

export const openOf = async (project: ScriptedProject): Promise<Asked[]> =>
  JSON.parse((await sylkIn(project)("questions", "--json")).out) as Asked[];
