/** What `cli.test.ts` and its long form share. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { script } from "../support/scripted-project.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

export function sylk(args: readonly string[], options: { cwd?: string; env?: Record<string, string>; input?: string } = {}) {
  const cwd = options.cwd ?? tempDir();
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: cwd,
    SYLK_HOME: path.join(cwd, "home"),
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...options.env,
  };
  const run = spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    env,
    encoding: "utf8",
    ...(options.input === undefined ? { stdio: ["ignore", "pipe", "pipe"] as const } : { input: options.input }),
  });
  return { code: run.status, out: run.stdout, err: run.stderr, cwd, env };
}

export const FIX = script([
  { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "a + b" } },
  { name: "complete", input: { summary: "add() adds" } },
]);

export const FILES = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "check.mjs": 'import { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n',
};
