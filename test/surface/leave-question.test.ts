/** A question that is left at a terminal without a session: it waits, and nothing looks like an answer. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { atTerminal, KEYS, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";

vi.setConfig({ testTimeout: 600_000 });

test.skipIf(NO_TERMINAL !== undefined)("Ctrl+C at a plan leaves it open, says so, and shows no choice as made", async () => {
  const pieces = [simplePiece("loud")];
  const here = teamProject(planOf(pieces), pieces);
  // Without a sandbox, what the project brings would be asked about first.
  await runSylk(here.dir, here.env, ["trust", "--no"]);
  const { screen, code } = await atTerminal([process.execPath, MAIN, "run", "add loud", "--check", "node --test", "-m", here.rules], {
    cwd: here.dir,
    env: { ...here.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    typed: [{ when: "reject", keys: KEYS.ctrlC }],
  });
  expect(code).toBe(130);
  const left = screen.slice(screen.lastIndexOf("■"));
  expect(left).toMatch(/Is this how it should be done\?/u);
  expect(left).not.toContain("reject");
  expect(left).toMatch(/not answered; it waits: sylk questions, go on with: sylk session resume \w{8}/u);
  expect((await runSylk(here.dir, here.env, ["questions"])).out).toContain("Is this how it should be done?");
});

test.skipIf(NO_TERMINAL !== undefined)(
  "a question that waited stands below the task it belongs to, and nothing is written into it",
  async () => {
    const here = scriptedProject(
      { "package.json": '{ "scripts": { "test": "node --test" } }' },
      script([
        { name: "run_command", input: { command: "terraform apply" } },
        { name: "complete", input: { summary: "there was nothing to do" } },
      ]),
    );
    const env = { ...here.env, NO_COLOR: "1", SYLK_SECURITY_SANDBOX_MODE: "off", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
    await runSylk(here.dir, env, ["trust", "--no"]);
    const at = (args: string[], keys: string[]) =>
      atTerminal([process.execPath, MAIN, ...args], {
        cwd: here.dir,
        env,
        typed: keys.map((key) => ({ when: "Tab: say why", keys: key })),
      });
    expect((await at(["task", "start", "tidy up", "-m", here.rules], [KEYS.ctrlC])).code).toBe(130);
    const { code, screen } = await at(["task", "resume"], [KEYS.enter]);
    expect(code).toBe(3);
    const asked = screen.indexOf("engineer wants to run");
    const answered = screen.indexOf("◇");
    expect(screen.indexOf("tidy up")).toBeLessThan(asked);
    expect(screen.slice(asked, answered)).not.toMatch(/tidy up|no check could be run/u);
    expect(screen.slice(answered)).toContain("no check could be run");
  },
);
