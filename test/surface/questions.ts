/** What `questions.test.ts` and its long form share. */
import { spawnSync } from "node:child_process";
import { script, type ScriptedProject } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";

export const command = { name: "run_command", input: { command: "printenv NOTHING >> ran.txt; echo x >> ran.txt" } };

export const STEPS = script([command, { name: "complete", input: { summary: "done" } }]);

export function commandIn(project: ScriptedProject) {
  return (args: readonly string[], input?: string) => {
    const run = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: project.dir,
      env: { ...project.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
      encoding: "utf8",
      ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] as const } : { input }),
    });
    return { code: run.status, out: run.stdout, err: run.stderr };
  };
}
