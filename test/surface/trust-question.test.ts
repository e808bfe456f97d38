/** A folder that brings something, outside a session: what leaving the question means, when checks are asked about, and what to do next. */
import path from "node:path";
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { atTerminal, KEYS, NO_TERMINAL } from "../support/terminal.ts";

const MAIN = path.join(import.meta.dirname, "../../src/surface/cli/main.ts");
const NO_SANDBOX = { SYLK_SECURITY_SANDBOX_MODE: "off", NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };

const withCommand = (): ScriptedProject => scriptedProject({ ".claude/commands/tidy.md": "tidy up\n" }, script([]));
const withCheck = (): ScriptedProject => scriptedProject({ "package.json": '{ "scripts": { "test": "node --test" } }' }, script([]));

test.skipIf(NO_TERMINAL !== undefined).each([["task", "start", "tidy up"], ["trust"]])(
  "Ctrl+C at the trust question ends the command: %s is not carried out, and nothing is answered",
  async (...words) => {
    const here = withCommand();
    const env = { ...here.env, ...NO_SANDBOX };
    const model = words[0] === "task" ? ["-m", here.rules] : [];
    const { code, screen } = await atTerminal([process.execPath, MAIN, ...words, ...model], {
      cwd: here.dir,
      env,
      typed: [{ when: "decide later", keys: KEYS.ctrlC }],
    });
    expect(code).toBe(130);
    expect(screen).not.toMatch(/task_|nobody has decided/u);
    expect((await runSylk(here.dir, env, ["task", "list"])).out).toContain("no tasks yet");
    expect((await runSylk(here.dir, env, ["trust", "status"])).out).toContain("nobody has decided yet");
  },
);

test.skipIf(NO_TERMINAL !== undefined)("without a sandbox a request asks about the project's checks first, and says why", async () => {
  const here = withCheck();
  const { code, screen } = await atTerminal([process.execPath, MAIN, "run", "tidy up", "-m", here.rules], {
    cwd: here.dir,
    env: { ...here.env, ...NO_SANDBOX },
    typed: [{ when: "decide later", keys: KEYS.ctrlC }],
  });
  expect(code).toBe(130);
  expect(screen).toContain("check: npm test");
  expect(screen).toContain("there is no sandbox here: a check would run on your machine itself");
});

test("where nobody can be asked, a request tells which checks are not used; doctor does too", async () => {
  const here = withCheck();
  const env = { ...here.env, ...NO_SANDBOX };
  expect((await runSylk(here.dir, env, ["run", "tidy up", "--detach", "-m", here.rules])).err).toContain(
    "not trusted: this folder brings 1 check, which is not used",
  );
  expect((await runSylk(here.dir, env, ["doctor"])).out).toMatch(/! trust +1 thing this folder brings is not used before you trust it/u);
});

test("what the folder brings is shown with what to do next, and after a no with how to take it back", async () => {
  const here = withCommand();
  const sylk = (...words: string[]) => runSylk(here.dir, { ...here.env, NO_COLOR: "1" }, words);
  expect((await sylk("trust", "status")).err).toContain("`sylk trust` asks about it; `sylk trust --yes` trusts all of it, `--no` none");
  expect((await sylk("trust", "--no")).err).toContain("`sylk trust --yes` trusts all of it after all");
  expect((await sylk("trust", "--yes")).err).toBe("");
  for (const kind of ["hooks", "commands", "MCP servers", "flows", "memory"]) expect((await sylk("trust", "--help")).out).toContain(kind);
});
