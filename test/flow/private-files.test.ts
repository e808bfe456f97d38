/** What a task leaves on disk is its person's alone; a check is run as it was named. */
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type PermissionPolicy } from "../../src/app/index.ts";
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const steps = script([
  { name: "edit_file", input: { path: "conf.ini", find: "host=a", replace: "host=b" } },
  { name: "complete", input: { summary: "done" } },
]);
const FILES = { "a b.txt": "x  y\n", "conf.ini": "host=a\n", "check it.sh": "touch ran\n" };

async function play(project: ScriptedProject, checks: string[], permissions: PermissionPolicy = {}): Promise<string> {
  const app = await openApp({ cwd: project.dir, env: project.env, clock: systemClock, permissions });
  try {
    const id = await app.tasks.start({
      goal: "change it",
      type: "implement_feature",
      role: "engineer",
      criteria: [],
      constraints: [],
      checks,
      discoverChecks: false,
      model: project.rules,
      profile: "minimal",
      maxSteps: 4,
    });
    const end = await app.tasks.run(id, () => undefined, never);
    await app.knowledge.index({ signal: never });
    return end.status;
  } finally {
    await app.close();
  }
}

test("~SEC-028: copies of files, the task's records and the index are readable by their owner only", async () => {
  const project = scriptedProject(FILES, steps);
  chmodSync(path.join(project.dir, "conf.ini"), 0o600);
  expect(await play(project, ["true"])).toBe("complete");
  const mode = (file: string): number => statSync(file).mode & 0o777;
  const tasks = path.join(privateOf(project), "tasks");
  const entries = readdirSync(tasks, { recursive: true, withFileTypes: true });
  expect(entries.some((entry) => entry.name === "1-conf.ini")).toBe(true);
  expect(mode(tasks)).toBe(0o700);
  for (const entry of entries.filter((one) => one.isFile())) expect(mode(path.join(entry.parentPath, entry.name))).toBe(0o600);
  expect(mode(path.join(privateOf(project), "knowledge.db"))).toBe(0o600);
});

test("~SEC-006: a named check runs with its quotes; nothing else does under its name, and a rule that denies it wins", async () => {
  const quoted = scriptedProject(FILES, steps);
  expect(await play(quoted, [`grep -q 'x  y' "a b.txt"`, 'sh "check it.sh"'])).toBe("complete");
  expect(existsSync(path.join(quoted.dir, "ran"))).toBe(true);
  const denied = scriptedProject(FILES, steps);
  expect(await play(denied, ['sh "check it.sh"'], { deny: ["sh"] })).toBe("escalated");
  expect(existsSync(path.join(denied.dir, "ran"))).toBe(false);
  const other = scriptedProject(
    { ...FILES, check: "touch other\n" },
    script([
      { name: "run_command", input: { command: "sh check it.sh" } },
      { name: "escalate", input: { summary: "no", reason: "no" } },
    ]),
  );
  await play(other, ['sh "check it.sh"']);
  expect(existsSync(path.join(other.dir, "other"))).toBe(false);
});
