import { expect } from "vitest";
import { copyProject, filesOf, script, scriptedProject } from "../support/scripted-project.ts";
import { atPlaces } from "./run-life.ts";
import { endHere, live } from "./task-life.ts";
import { story } from "./task-story.ts";

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
  // A change, and what looks at it, in one answer.
  [
    { name: "read_file", input: { path: "add.mjs" } },
    { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
    { name: "note_fact", input: { subject: "bug", fact: "the operator is right now" } },
  ],
  [
    { name: "run_command", input: { command: "echo once >> log.txt" } },
    { name: "read_file", input: { path: "log.txt" } },
  ],
  { name: "complete", input: { summary: "add() adds" } },
]);

/** Kills a task at the chosen places between its appends and lets it end; every time it must end as an undisturbed one does. */
export async function killAtBoundaries(isChosen: (place: number) => boolean): Promise<number> {
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
  const { outcome, appends } = await live(straight, id);
  expect(outcome).toEqual({ status: "complete", verified: true });
  const expected = { files: filesOf(straight.dir), story: await story(straight) };
  expect(expected.files["add.mjs"]).toContain("a + b");
  expect(expected.files["log.txt"]).toBe("once\n");

  return atPlaces(appends, isChosen, async (point) => {
    const project = copyProject(origin);
    expect((await live(project, id, point)).killed).toBe(true);
    expect({ point, story: await endHere(project, id), files: filesOf(project.dir) }).toEqual({ point, ...expected });
  });
}
