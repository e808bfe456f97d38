/** A task goes on in the permission mode it was begun in, and a no to what it asked stands. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n',
};
const edit = { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } };
const complete = { name: "complete", input: { summary: "add() adds now" } };
const read = { name: "read_file", input: { path: "add.mjs" } };
const TWICE = script([read, edit, edit, complete]);
const ASK_EDITS = ["--permission-mode", "ask-edits"];

const sylkIn =
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
const added = (project: ScriptedProject): string => readFileSync(path.join(project.dir, "add.mjs"), "utf8");

interface Asked {
  id: string;
  status: string;
  ask: { kind: string };
}

/** A task that rests for a yes to its edit. */
async function resting(): Promise<{ project: ScriptedProject; id: string }> {
  const project = scriptedProject(FILES, TWICE);
  const sylk = sylkIn(project);
  expect(await sylk(...ASK_EDITS, ...start(project, "--max-steps", "5"))).toMatchObject({
    code: 4,
    out: expect.stringContaining("modify add.mjs") as string,
  });
  const [asked] = JSON.parse((await sylk("questions", "--json")).out) as Asked[];
  return { project, id: asked?.id ?? "" };
}

const openOf = async (project: ScriptedProject): Promise<Asked[]> =>
  JSON.parse((await sylkIn(project)("questions", "--json")).out) as Asked[];

test(
  "a task begun with ask-edits goes on with it: unanswered it asks the same again, and shows it until then",
  { timeout: 120_000 },
  async () => {
    const { project, id } = await resting();
    const sylk = sylkIn(project);
    expect((await sylk("task", "resume")).code).toBe(4);
    expect(added(project)).toBe(FILES["add.mjs"]);
    expect((await openOf(project)).map((one) => one.id)).toEqual([id]);
    for (const words of [
      ["task", "list"],
      ["task", "show"],
    ])
      expect((await sylk(...words)).out).toContain("modify add.mjs");
    expect((await sylk("answer", id, "once")).code).toBe(0);
    expect((await sylk("task", "resume")).code).toBe(0);
    expect(added(project)).toContain("a + b");
    expect(await openOf(project)).toEqual([]);
  },
);

test(
  "a no stands when the task goes on, in whatever mode: not done, not asked again, the words are told",
  { timeout: 240_000 },
  async () => {
    for (const mode of [[], ["--permission-mode", "default"], ["--permission-mode", "auto"], ["--permission-mode", "bypass"]]) {
      const { project, id } = await resting();
      const sylk = sylkIn(project);
      expect((await sylk("answer", id, "deny", "not so")).code).toBe(0);
      expect((await sylk(...mode, "task", "resume")).code).not.toBe(0);
      expect(added(project)).toBe(FILES["add.mjs"]);
      expect((await openOf(project)).filter(({ ask }) => ask.kind === "permission")).toEqual([]);
      // The second time is the same act: refused as well, with the same words.
      for (const step of ["3", "4"]) expect((await sylk("task", "context", "last", "--step", step)).out).toContain("saying: not so");
    }
  },
);

test(
  "a mode named when it goes on counts, and is the one it then goes on in; what was asked before is over",
  { timeout: 120_000 },
  async () => {
    const { project, id } = await resting();
    const sylk = sylkIn(project);
    expect((await sylk("--permission-mode", "default", "task", "resume")).code).toBe(0);
    expect(added(project)).toContain("a + b");
    expect(await openOf(project)).toEqual([]);
    expect(await sylk("answer", id, "deny")).toMatchObject({
      code: 1,
      err: expect.stringContaining("takes no answer any more: it was withdrawn") as string,
    });
  },
);
