import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { story } from "./task-story.ts";
import { copyProject, filesOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const FILES = {
  "add.mjs": "export function add(a, b) {\n  return a - b;\n}\n",
  "check.mjs":
    'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) {\n  console.log("error: add(2, 3) is", add(2, 3));\n  process.exit(1);\n}\n',
};
const RULES = script([
  [
    { name: "read_file", input: { path: "add.mjs" } },
    { name: "note_fact", input: { subject: "bug", fact: "the operator is wrong" } },
  ],
  { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
  { name: "run_command", input: { command: "echo once >> log.txt" } },
  { name: "complete", input: { summary: "add() adds" } },
]);

function runChild(project: ScriptedProject, id: string, when: string, n: number): { killed: boolean; out: string } {
  const child = spawnSync(process.execPath, [path.resolve("test/crash/task-child.ts"), project.dir, id, when, String(n)], {
    encoding: "utf8",
    env: { ...process.env, NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/sylk-test-compile"), ...project.env },
  });
  if (child.signal !== "SIGKILL" && child.status !== 0) throw new Error(child.stderr);
  return { killed: child.signal === "SIGKILL", out: child.stdout };
}

test(
  "CTX-003 CTX-020: SIGKILL right before and after every append: the task ends in the same files and the same journal",
  { timeout: 180_000 },
  async () => {
    const origin = scriptedProject(FILES, RULES);
    const app = await origin.open();
    const id = await app.tasks.start({
      goal: "make add() add",
      type: "implement_feature",
      role: "engineer",
      criteria: ["add(2, 3) is 5"],
      constraints: [],
      checks: ["node check.mjs"],
      model: origin.rules,
      profile: "minimal",
      maxSteps: undefined,
    });
    await app.close();

    const straight = copyProject(origin);
    const baseline = runChild(straight, id, "never", 0);
    const { status, verified, appends } = JSON.parse(baseline.out) as { status: string; verified: boolean; appends: number };
    expect({ status, verified }).toEqual({ status: "complete", verified: true });
    const expected = { files: filesOf(straight.dir), story: await story(straight) };
    expect(expected.files["add.mjs"]).toContain("a + b");
    expect(expected.files["log.txt"]).toBe("once\n");

    for (let n = 1; n <= appends; n += 1) {
      for (const when of ["before", "after"]) {
        const project = copyProject(origin);
        expect(runChild(project, id, when, n).killed).toBe(true);
        expect(runChild(project, id, "never", 0).killed).toBe(false);
        expect({ files: filesOf(project.dir), story: await story(project) }).toEqual(expected);
      }
    }
  },
);
