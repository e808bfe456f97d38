/** A folder that brings something, opened in a session: asked on the session's own screen, which goes on with the answer. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { atTerminal, KEYS, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";

test.skipIf(NO_TERMINAL !== undefined).each([
  ["yes", "trusted"],
  ["no", "not trusted"],
])(
  `the trust question is asked in the session, and %s lets it go on${NO_TERMINAL === undefined ? "" : `: ${NO_TERMINAL}`}`,
  async (answer, then) => {
    const project = scriptedProject({ ".claude/commands/tidy.md": "tidy up\n" }, script([]));
    const env = { ...project.env, NO_COLOR: "1" };
    mkdirSync(project.env["SYLK_HOME"] ?? "", { recursive: true });
    writeFileSync(path.join(project.env["SYLK_HOME"] ?? "", "config.yaml"), `llm: { default_model: "${project.rules}" }\n`);
    const { code, screen } = await atTerminal([process.execPath, MAIN], {
      cwd: project.dir,
      env,
      typed: [
        { when: "Do you trust this folder?", keys: `${answer}` },
        { when: answer === "yes" ? "→ yes, as it is now" : "→ no, do not use any of it", keys: KEYS.enter },
        { when: "ready", keys: `/trust status${KEYS.enter}` },
        { when: `.claude/commands/tidy.md`, keys: `${KEYS.ctrlC}${KEYS.ctrlC}` },
      ],
    });
    expect(screen).not.toContain("unsettled top-level await");
    // What was answered stays to be read.
    expect(screen).toContain(`if it is not yours.  ${answer === "yes" ? "yes, as it is now" : "no, do not use any of it"}`);
    expect([code, (await runSylk(project.dir, env, ["trust", "status"])).out]).toEqual([0, expect.stringContaining(then)]);
  },
);
