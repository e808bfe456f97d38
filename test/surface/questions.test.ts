/** What a task asks, seen and answered with the command. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { scriptedProject } from "../support/scripted-project.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";
import { STEPS, commandIn } from "./questions.ts";

describe.skipIf(NO_TERMINAL !== undefined)(`at a terminal${NO_TERMINAL === undefined ? "" : ` (skipped: ${NO_TERMINAL})`}`, () => {
  test("a prompt that is answered elsewhere goes away and the run goes on", { timeout: 120_000 }, async () => {
    const project = scriptedProject({ "a.txt": "a" }, STEPS);
    const argv = [process.execPath, MAIN, "task", "start", "try", "--no-checks", "-m", project.rules];
    const sylk = commandIn(project);
    const { code, screen } = await atTerminal(argv, {
      cwd: project.dir,
      env: { ...project.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
      typed: [{ when: "Allow it?", keys: "" }],
      onTyped: () =>
        expect(sylk(["answer", sylk(["questions", "--ids"]).out.trim(), "once"]).out).toMatch(/the task (?:goes on|went on and is over)/u),
    });
    expect(screen).toContain("answered elsewhere");
    expect(code).toBe(3);
    expect(readFileSync(path.join(project.dir, "ran.txt"), "utf8")).toBe("x\n");
  });

  test("what the agent asks is asked where it runs", { timeout: 120_000 }, async () => {
    const rules =
      'rules:\n  - when: { text: "use plus" , step: ">=2" }\n    answer: { tool_calls: [{ name: complete, input: { summary: done } }] }\n  - answer: { tool_calls: [{ name: ask_user, input: { question: "plus or minus?" } }] }\n';
    const project = scriptedProject({ "a.txt": "a" }, rules);
    const { code, screen } = await atTerminal(
      [process.execPath, MAIN, "task", "start", "try", "--no-checks", "--type", "review", "-m", project.rules],
      {
        cwd: project.dir,
        env: { ...project.env, SYLK_TERMINAL_NOTIFY: "false" },
        typed: [
          { when: "plus or minus?", keys: "" },
          { when: "plus or minus?", keys: "use plus\r" },
        ],
      },
    );
    expect(screen).toContain("plus or minus?");
    expect([0, 3]).toContain(code);
    expect(commandIn(project)(["questions", "--all"]).out).toContain("answered: use plus");
  });
});
