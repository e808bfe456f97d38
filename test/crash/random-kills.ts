/** Runs tasks in processes that are killed at random instants until each is done, and compares with an undisturbed run. */
import { randomInt } from "node:crypto";
import { expect } from "vitest";
import { z } from "zod";
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
        { name: "list_files", input: {} },
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
  const got = { story: await endHere(project, id), files: filesOf(project.dir) };
  if (cutOff(got.story).length === 0) expect(got).toEqual(expected);
  else expectHonestly(got, expected);
}

interface End {
  story: unknown[];
  files: Record<string, string>;
}

const acted = z.object({
  type: z.literal("task.acted"),
  payload: z.object({ action: z.string(), target: z.string(), outcome: z.string() }),
});

function actsOf(story: readonly unknown[]): z.output<typeof acted>["payload"][] {
  return story.flatMap((event) => acted.safeParse(event).data?.payload ?? []);
}

/** Commands that were about to start when the process died: they may have run, so they are told and never run again (V17). */
function cutOff(story: readonly unknown[]): string[] {
  return actsOf(story).flatMap(({ outcome, target }) => (outcome === "cut_off" ? [target] : []));
}

/** Everything as undisturbed, but for what was told to be cut off: that ran once or not at all. */
function expectHonestly(got: End, expected: End): void {
  const cut = cutOff(got.story);
  const acts = ({ story }: End): unknown[] => actsOf(story).map((act) => (cut.includes(act.target) ? { ...act, outcome: "cut_off" } : act));
  expect(acts(got)).toEqual(acts(expected));
  const { "log.txt": log = "", ...files } = got.files;
  const { "log.txt": whole = "", ...others } = expected.files;
  expect(files).toEqual(others);
  const missing = whole.split("\n").filter((line) => !log.split("\n").includes(line));
  expect(missing.filter((line) => !cut.some((command) => command.includes(`echo ${line} `)))).toEqual([]);
  expect(log.split("\n")).toEqual(whole.split("\n").filter((line) => !missing.includes(line)));
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
