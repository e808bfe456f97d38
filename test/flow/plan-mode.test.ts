/** Plan mode: the model is told and cannot change anything, a plan comes out, and going on carries it out. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const PLAN = "add() adds; shown by check.mjs.\n1. add.mjs: a + b instead of a - b";
const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nif (add(1, 2) !== 3) throw new Error("add");\n',
};

const begin = (): ScriptedProject =>
  scriptedProject(
    FILES,
    script([
      { name: "read_file", input: { path: "add.mjs" } },
      { name: "complete", input: { summary: PLAN } },
      { name: "complete", input: { summary: `${PLAN}\n2. a note in the change log` } },
      { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
interface Seen {
  system: string;
  user: string;
  tools: string;
}

async function seenBy(sylk: (...args: string[]) => ReturnType<typeof runSylk>, step: number): Promise<Seen> {
  const context = JSON.parse((await sylk("task", "context", "last", "--step", String(step), "--json")).out) as Record<string, unknown>;
  return { system: String(context["system"]), user: String(context["user"]), tools: JSON.stringify(context["tools"]) };
}

test("D17: plan mode tells the model, takes the actions that change something away, ends with a plan, and resume carries it out", async () => {
  const project = begin();
  const sylk = (...args: string[]): ReturnType<typeof runSylk> => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);
  const seen = (step: number): Promise<Seen> => seenBy(sylk, step);
  const planned = await sylk("make add() add", "--check", "node check.mjs", "-m", project.rules, "--permission-mode", "plan");
  expect(planned.code).toBe(4);
  expect(planned.out).toContain("Plan\n  add() adds; shown by check.mjs.\n  1. add.mjs");
  expect(planned.out).toMatch(/Next\n {2}sylk task resume \w+ +carries it out/);
  const first = await seen(1);
  expect(first.system).toContain("nothing can be changed or run here");
  expect(first.tools).toContain("read_file");
  for (const name of ["edit_file", "write_file", "multi_edit", "delete_file", "run_command"])
    expect(first.tools).not.toContain(`"${name}"`);
  expect(readFileSync(path.join(project.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);

  const again = await sylk("task", "resume", "last", "--permission-mode", "plan", "--answer", "and note it in the change log");
  expect(again.code).toBe(4);
  expect(again.out).toContain("2. a note in the change log");
  expect((await seen(3)).user).toContain("and note it in the change log");
  expect(readFileSync(path.join(project.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);

  const done = await sylk("task", "resume", "last");
  expect(done).toMatchObject({ code: 0 });
  const fourth = await seen(4);
  expect(fourth.tools).toContain('"edit_file"');
  expect(fourth.system).not.toContain("nothing can be changed");
  expect(fourth.user).toContain("1. add.mjs: a + b instead of a - b\n2. a note in the change log");
  expect(readFileSync(path.join(project.dir, "add.mjs"), "utf8")).toContain("a + b");
  expect((await sylk("questions")).out).not.toContain("Is this how");
});
