/** Runs tasks in processes that are killed at random instants until each is done, and compares with an undisturbed run. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import path from "node:path";
import { expect } from "vitest";
import { copyProject, filesOf, script, scriptedProject, type ScriptedCall, type ScriptedProject } from "../support/scripted-project.ts";
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
        { name: "list_files", input: {} },
      ],
      ...turned,
      { name: "complete", input: { summary: "done" } },
    ]),
  );
}

/** One life of the process; true when it was killed. */
function live(project: ScriptedProject, id: string, killAfterMs: number | undefined): Promise<boolean> {
  const env = { ...process.env, NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/sylk-test-compile"), ...project.env };
  const child = spawn(process.execPath, [path.resolve("test/crash/task-child.ts"), project.dir, id, "never", "0"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let trouble = "";
  child.stderr.on("data", (chunk: Buffer) => (trouble += chunk.toString()));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  return new Promise((resolve, reject) =>
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (signal === "SIGKILL") resolve(true);
      else if (code === 0) resolve(false);
      else reject(new Error(trouble));
    }),
  );
}

export async function killTasks(wanted: number): Promise<{ kills: number; tasks: number }> {
  let kills = 0;
  let tasks = 0;
  for (let turn = 0; kills < wanted; turn += 1) {
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
    expect(await live(straight, id, undefined)).toBe(false);
    const wholeMs = performance.now() - began;
    const expected = { files: filesOf(straight.dir), story: await story(straight) };
    const project = copyProject(origin);
    // Every life is cut somewhere within a whole run's length; the last one is left alone.
    for (let lives = 0; lives < 40 && kills < wanted; lives += 1) {
      if (!(await live(project, id, randomInt(Math.floor(wholeMs * 0.3), Math.floor(wholeMs))))) break;
      kills += 1;
    }
    await live(project, id, undefined);
    expect({ files: filesOf(project.dir), story: await story(project) }).toEqual(expected);
    tasks += 1;
  }
  return { kills, tasks };
}
