/** The completion scripts, each in its own shell. bash is tried in first-use.test.ts too. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { missing, place, CASES } from "./completion.ts";

const NO_ZSH = missing("zsh") ?? NO_TERMINAL;

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
