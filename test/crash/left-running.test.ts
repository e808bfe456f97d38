/** A command outlives the killed process that started it; whoever looks at the task or takes it back is told. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holders } from "../../src/kernel/index.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";

const WAITS = "touch began; until test -f go; do sleep 0.05; done";
const EDIT = { name: "edit_file", input: { path: "a.txt", find: "one", replace: "two" } };
const DONE = { name: "complete", input: { summary: "done" } };

/** A task that is killed as soon as the file `began` is there. */
async function killed(calls: readonly ScriptedCall[], ...options: string[]) {
  const { dir, env, rules } = scriptedProject({ "a.txt": "one\n" }, script([...calls, DONE]));
  const looking = new AbortController();
  const changes = watch(dir, { signal: looking.signal });
  const line = ["--permission-mode", "bypass", "task", "start", "try", "-m", rules, ...options];
  const child = spawn(process.execPath, [MAIN, ...line], {
    cwd: dir,
    env: { ...env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: "ignore",
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    writeFileSync(path.join(dir, "go"), "");
  });
  for await (const _ of changes) if (existsSync(path.join(dir, "began"))) break;
  looking.abort();
  child.kill("SIGKILL");
  await once(child, "exit");
  return Object.assign((...args: string[]) => runSylk(dir, { ...env, NO_COLOR: "1" }, args), { dir });
}

test("task show and task undo name the command that still runs, and cancel ends it", { timeout: 120_000 }, async () => {
  const sylk = await killed([EDIT, { name: "run_command", input: { command: WAITS } }], "--no-checks");
  const shown = await sylk("task", "show");
  expect(shown.out).toMatch(/Still runs\n {2}touch began; until .* \(process \d+; /);
  expect(shown.out).toContain("sylk task cancel");
  const undone = await sylk("task", "undo", "last");
  expect(undone).toMatchObject({ code: 0, out: expect.stringContaining("taken back: a.txt") as string });
  expect(undone.out).toContain("a command of it still runs and may change files again: touch began");
  const { still_runs: left } = JSON.parse((await sylk("task", "show", "--json")).out) as { still_runs: { pid: number } };
  const holder = holders.ofProcess(left.pid);
  expect(holders.state(holder)).not.toBe("dead");
  expect((await sylk("task", "cancel", "last")).code).toBe(0);
  expect(holders.state(holder)).toBe("dead");
  expect((await sylk("task", "show")).out).not.toContain("Still runs");
});

test("killed during the check after an edit, task show tells the change", { timeout: 120_000 }, async () => {
  const sylk = await killed([EDIT], "--check", `sh -c 'grep -q two a.txt || exit 1; ${WAITS}'`);
  expect((await sylk("task", "show")).out).toContain("Changed\n  a.txt");
});

test("what a command changed is known and taken back, also when the process that started it was killed", { timeout: 120_000 }, async () => {
  const sylk = await killed([{ name: "run_command", input: { command: `rm a.txt; ${WAITS}` } }], "--no-checks");
  expect(existsSync(path.join(sylk.dir, "a.txt"))).toBe(false);
  writeFileSync(path.join(sylk.dir, "go"), "");
  expect((await sylk("--permission-mode", "bypass", "task", "resume")).out).toContain("Changed\n  a.txt\n");
  expect((await sylk("task", "diff", "last")).out).toContain("--- a/a.txt\n+++ /dev/null");
  const undone = await sylk("task", "undo", "last", "--force");
  expect(undone.out).toContain("taken back: ");
  expect(undone.out).not.toContain("not known");
  expect(readFileSync(path.join(sylk.dir, "a.txt"), "utf8")).toBe("one\n");
});
