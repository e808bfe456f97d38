/** What `completion.test.ts` and its long form share. */
import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

/** Why a shell cannot be tried here; undefined when it can. */
export const missing = (shell: string): string | undefined =>
  spawnSync(shell, ["--version"], { stdio: "ignore" }).status === 0 ? undefined : `the shell \`${shell}\` is not here`;

export function place() {
  const base = realpathSync(tempDir("sylk-completion"));
  const [dir, bin] = ["project", "bin"].map((name) => path.join(base, name)) as [string, string];
  for (const one of [dir, bin]) mkdirSync(one);
  writeFileSync(path.join(bin, "sylk"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
  const env = {
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: base,
    SYLK_HOME: path.join(base, "home"),
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  };
  const script = (shell: string): string =>
    spawnSync(path.join(bin, "sylk"), ["completion", shell], { cwd: dir, env, encoding: "utf8" }).stdout;
  return { base, dir, env, script };
}

export const CASES: readonly (readonly [string, readonly string[]])[] = [
  ["sylk session at", ["attach"]],
  ["sylk atta", ["attach"]],
  ["sylk logs --f", ["--follow"]],
  ["sylk session logs --f", ["--follow"]],
  ["sylk import c", ["claude", "codex", "cursor"]],
  ["sylk stop la", ["last"]],
  ["sylk task start --role eng", ["engineer"]],
];
