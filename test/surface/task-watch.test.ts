/** `sylk task watch` through the real command. */
import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";

/** A command that hangs is stopped, and so fails. */
const TOO_LONG_MS = 30_000;

test("watching a task that nobody runs says so and ends", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const sylk = (...args: string[]): Promise<{ ended: boolean; out: string }> =>
    new Promise((resolve) => {
      const options = { cwd: project.dir, env: { ...project.env, NO_COLOR: "1" }, timeout: TOO_LONG_MS };
      execFile(process.execPath, [MAIN, ...args], options, (error, out) => resolve({ ended: error?.killed !== true, out }));
    });
  const started = await sylk("task", "start", "rest", "-m", project.rules, "--check", "true", "--detach");
  const id = started.out.trim();
  const watched = await sylk("task", "watch", id);
  expect(watched).toEqual({
    ended: true,
    out: expect.stringContaining(`nobody runs this task now; \`sylk task resume ${id.slice(-8)}\` starts it`) as string,
  });
  const lines = (await sylk("task", "watch", id, "--json")).out.trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "outcome", status: "interrupted" });
}, 100_000);
