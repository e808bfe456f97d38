/** The completion scripts, each in its own shell. bash is tried in first-use.test.ts too. */
import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";

/** Why a shell cannot be tried here; undefined when it can. */
const missing = (shell: string): string | undefined =>
  spawnSync(shell, ["--version"], { stdio: "ignore" }).status === 0 ? undefined : `the shell \`${shell}\` is not here`;
const NO_FISH = missing("fish");
const NO_ZSH = missing("zsh") ?? NO_TERMINAL;

function place() {
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

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ["sylk session at", ["attach"]],
  ["sylk atta", ["attach"]],
  ["sylk logs --f", ["--follow"]],
  ["sylk session logs --f", ["--follow"]],
  ["sylk import c", ["claude", "codex", "cursor"]],
  ["sylk stop la", ["last"]],
  ["sylk task start --role eng", ["engineer"]],
];

test("bash offers words, short words, options and what may stand there", { timeout: 60_000 }, () => {
  const at = place();
  const input = [
    at.script("bash"),
    ...CASES.map(
      ([line]) => `COMP_WORDS=(${line}); COMP_CWORD=${line.split(" ").length - 1}; COMPREPLY=(); _sylk; echo "\${COMPREPLY[*]}"`,
    ),
  ].join("\n");
  const { stdout, stderr } = spawnSync("bash", { input, cwd: at.dir, env: at.env, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual(CASES.map(([, offered]) => offered.join(" ")));
});

test.skipIf(NO_FISH !== undefined)("fish offers the same", { timeout: 60_000 }, () => {
  const at = place();
  const input = [
    at.script("fish"),
    ...CASES.map(([line]) => `string join -- " " (complete -C "${line}" | string replace -r "\\t.*" "")`),
  ].join("\n");
  const { stdout, stderr } = spawnSync("fish", ["-c", input], { cwd: at.dir, env: at.env, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual(CASES.map(([, offered]) => offered.join(" ")));
});

test.skipIf(NO_ZSH !== undefined)("zsh completes at its prompt, also where nothing was set up before", { timeout: 60_000 }, async () => {
  const at = place();
  const { screen } = await atTerminal(["zsh", "-f", "-i"], {
    cwd: at.dir,
    env: { ...at.env, PS1: "READY " },
    typed: [
      { when: "READY ", keys: 'eval "$(sylk completion zsh)"; print loa""ded\r' },
      { when: "loaded", keys: "print sylk-is-here; sylk session att\t" },
      { when: "sylk session attach", keys: "\u0015sylk logs --f\t" },
      { when: "ollow", keys: "\u0015exit\r" },
    ],
  });
  expect(screen).toContain("ollow");
  expect(screen).not.toContain("command not found");
});
