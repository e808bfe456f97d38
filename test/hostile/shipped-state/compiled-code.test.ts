/**
 * The attacker is another user of the machine, or a command in the sandbox of a project whose temporary folder lies in it.
 * He can write to the temporary folder, where Node would keep what it compiled and take it up again at the next start. He
 * wants his code to be what the victim's Sylk runs.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { MAIN } from "../../support/built-command.ts";
import { victim } from "../support.ts";

test("compiled code is kept in the user's own folder and looked for nowhere else", () => {
  const { base, env } = victim();
  const temp = path.join(base, "temp");
  mkdirSync(temp);
  const { NODE_COMPILE_CACHE: _, ...plain } = env;
  execFileSync("/bin/sh", ["-c", 'umask 002; exec "$@"', "sh", process.execPath, MAIN, "task", "list"], {
    cwd: base,
    env: { ...plain, TMPDIR: temp },
  });
  expect(readdirSync(temp)).toEqual([]);
  const home = env["SYLK_HOME"] ?? "";
  expect(readdirSync(path.join(home, "cache/compile")).length).toBeGreaterThan(0);
  // Whoever may write there decides what the next start runs.
  expect(statSync(home).mode & 0o077).toBe(0);
});
