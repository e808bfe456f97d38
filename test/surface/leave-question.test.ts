/** A question that is left at a terminal without a session: it waits, and nothing looks like an answer. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { atTerminal, KEYS, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";

vi.setConfig({ testTimeout: 600_000 });

test.skipIf(NO_TERMINAL !== undefined)("Ctrl+C at a plan leaves it open, says so, and shows no choice as made", async () => {
  const pieces = [simplePiece("loud")];
  const here = teamProject(planOf(pieces), pieces);
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
