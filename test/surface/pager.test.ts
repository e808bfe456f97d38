/** A long change is leafed through; a short one, a pipe and a machine get it at once. */
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";

test.skipIf(NO_TERMINAL !== undefined)(
  "`task diff` shows a long change with the user's pager, and a short or a piped one without",
  async () => {
    const lines = Array.from({ length: 120 }, (_, i) => `line ${i}`).join("\n");
    const project = scriptedProject(
      { "a.txt": "x\n" },
      script([
        { name: "write_file", input: { path: "long.txt", content: `${lines}\n` } },
        { name: "complete", input: { summary: "done" } },
      ]),
    );
    const env = { ...project.env, SYLK_PAGER: "sed -n '5s/^/PAGED /p'" };
    const started = await runSylk(project.dir, env, ["task", "start", "write it", "-m", project.rules, "--no-checks"]);
    expect(started.code).toBe(3);
    const look = (more: Record<string, string>, ...line: string[]) =>
      atTerminal([process.execPath, MAIN, ...line], { cwd: project.dir, env: { ...env, ...more }, typed: [] });

    const paged = await look({}, "task", "diff", "last");
    expect(paged).toMatchObject({ code: 0, screen: expect.stringMatching(/PAGED .*\+line 1/u) as string });
    expect(paged.screen).not.toContain("line 119");
    expect((await look({ SYLK_PAGER: "no-such-pager" }, "task", "diff", "last")).screen).toContain("+line 119");
    expect((await look({ SYLK_PAGER: "cat" }, "task", "diff", "last")).screen).toContain("+line 119");
    const piped = await runSylk(project.dir, env, ["task", "diff", "last"]);
    expect(piped.out).toContain("+line 119");
    expect(piped.out).not.toContain("PAGED");
  },
);
