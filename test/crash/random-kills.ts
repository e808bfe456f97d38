/** Runs tasks in processes that are killed at random instants until each is done, and compares with an undisturbed run. */
import { randomInt } from "node:crypto";
import { expect } from "vitest";
import { copyProject, filesOf, script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
import { endHere, live } from "./task-life.ts";
import { story } from "./task-story.ts";

const FILES = {
  "add.mjs": "export function add(a, b) {\n  return a - b;\n}\n",
  "list.txt": "one\ntwo\nthree\n",
  "old/name.txt": "moved\n",
  "check.mjs":
    'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) {\n  console.log("error: add(2, 3) is", add(2, 3));\n  process.exit(1);\n}\n',
};

/** Every kind of effect, in different orders. */
const EFFECTS: ScriptedCall[] = [
  { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
  { name: "run_command", input: { command: "echo line >> log.txt" } },
  {
    name: "multi_edit",
    input: {
      edits: [
        { path: "list.txt", find: "two", replace: "zwei" },
        { path: "add.mjs", find: "export function", replace: "// adds\nexport function" },
      ],
    },
  },
  { name: "write_file", input: { path: "new/deep/file.txt", content: "made\n" } },
  { name: "move_file", input: { from: "old/name.txt", to: "new/name.txt" } },
  { name: "run_command", input: { command: "echo again >> log.txt" } },
  { name: "edit_file", input: { path: "list.txt", find: "not there", replace: "x" } },
  { name: "delete_file", input: { path: "list.txt" } },
];

function scenario(turn: number): ScriptedProject {
  const turned = [...EFFECTS.slice(turn % 3), ...EFFECTS.slice(0, turn % 3)];
  // The first edit must come before the multi edit's second part finds its text either way.
  return scriptedProject(
    FILES,
    script([
      [
        { name: "read_file", input: { path: "add.mjs" } },
        { name: "read_file", input: { path: "**" } },
      ],
      ...turned,
      { name: "complete", input: { summary: "done" } },
    ]),
  );
}

/** One task: killed again and again while the others have not had all the kills that are wanted. */
async function killTask(turn: number, left: { kills: number }): Promise<void> {
  const origin = scenario(turn);
  const app = await origin.open();
  const id = await app.tasks.start({
    goal: "do all of it",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["node check.mjs"],
    model: origin.rules,
    profile: "minimal",
    maxSteps: 30,
  });
  await app.close();
  const straight = copyProject(origin);
  const began = performance.now();
  expect((await live(straight, id)).killed).toBe(false);
  const wholeMs = performance.now() - began;
  const expected = { files: filesOf(straight.dir), story: await story(straight) };
  const project = copyProject(origin);
  // Every life is cut somewhere within a whole run's length; the last one is left alone.
  for (let lives = 0; lives < 40 && left.kills > 0; lives += 1) {
    left.kills -= 1;
    if ((await live(project, id, { afterMs: randomInt(Math.floor(wholeMs * 0.3), Math.floor(wholeMs)) })).killed) continue;
    left.kills += 1;
    break;
  }
  expect({ story: await endHere(project, id), files: filesOf(project.dir) }).toEqual(expected);
}

/** Two tasks at a time, until there were as many kills as wanted; returns how many tasks that took. */
export async function killTasks(wanted: number): Promise<{ kills: number; tasks: number }> {
  const left = { kills: wanted };
  let tasks = 0;
  const lane = async (): Promise<void> => {
    while (left.kills > 0) await killTask(tasks++, left);
  };
  await Promise.all([lane(), lane()]);
  return { kills: wanted - left.kills, tasks };
}
