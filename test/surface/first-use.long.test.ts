/** `first-use.test.ts` goes on here with what takes longer. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { shortIds } from "../../src/kernel/index.ts";
import { atTerminal, KEYS, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";
import { KEY, place, startedModel } from "./first-use.ts";

test("completion offers tasks, models, roles and options where they stand", async () => {
  const at = place();
  await at.sylk(["make it work", "--detach"], KEY);
  const bin = path.join(at.dir, "..", "bin");
  mkdirSync(bin);
  writeFileSync(path.join(bin, "sylk"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
  const { out: script } = await at.sylk(["completion", "bash"]);
  const env = { ...at.env, ...KEY, PATH: `${bin}:${process.env["PATH"]}`, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const offered = (...words: string[]): string[] => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const input = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _sylk; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", { input, cwd: at.dir, env, encoding: "utf8" }).stdout.trim().split("\n");
  };
  const { id } = JSON.parse((await at.sylk(["task", "show", "last", "--json"])).out) as { id: string };
  expect(offered("sylk", "task", "show", "")).toEqual(["last", shortIds.shorten(id)]);
  expect(offered("sylk", "exec", "x", "-m", "anthropic/claude-s")).toContain("anthropic/claude-sonnet-4-5");
  expect(offered("sylk", "task", "start", "--role", "eng")).toEqual(["engineer"]);
  expect(offered("sylk", "task", "merge", "--pre")).toEqual(["--prefer"]);
  expect(offered("sylk", "ta")).toEqual(["task"]);
  // M3: a name that a shell would expand is never run, whoever chose it.
  mkdirSync(path.join(at.dir, "..", "home", "config"), { recursive: true });
  const tiers = 'llm:\n  tiers:\n    "$(touch${IFS}PWNED)": [openai/gpt-5]\n    mine: [openai/gpt-5]\n';
  for (const file of ["home/config.yaml", "home/config/config.yaml"]) writeFileSync(path.join(at.dir, "..", file), tiers);
  expect(offered("sylk", "exec", "x", "-m", "")).toContain("mine");
  expect(existsSync(path.join(at.dir, "PWNED"))).toBe(false);
});

test.skipIf(NO_TERMINAL !== undefined)(
  "at a terminal without a key, the key is asked for in place, kept, and the task goes on with it",
  async () => {
    const at = place();
    // Nothing of this reaches anybody: the way out is a port nobody listens to.
    const env = { ...at.env, HTTPS_PROXY: "http://127.0.0.1:9", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
    const { screen, code } = await atTerminal([process.execPath, MAIN, "look around", "--type", "discover"], {
      cwd: at.dir,
      env,
      typed: [
        { when: "Whose API key do you have?", keys: KEYS.enter },
        { when: "anthropic API key", keys: `sk-ant-typed-here${KEYS.enter}` },
        { when: "Keep it all the same?", keys: `y${KEYS.enter}` },
        { when: "using anthropic/claude-sonnet-4-5", keys: "" },
        { when: "look around", keys: KEYS.ctrlC },
      ],
    });
    expect(screen).toContain("No model provider is set up yet.");
    expect(screen).not.toContain("sk-ant-typed-here");
    expect(screen).toContain("interrupted; go on with: sylk task resume");
    expect(code).toBe(130);
    expect((await at.sylk([])).out).toContain("anthropic (key kept here)");
    expect(await startedModel(at)).toBe("anthropic/claude-sonnet-4-5");
  },
);
