/** The line that lives while something runs, in colour, at any width: a session's, and that of a task beside one. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";
import { NO_TERMINAL } from "../support/terminal.ts";
import { FILES, STEPS, livesInOneLine, saysItDim } from "./terminal-live.ts";

vi.setConfig({ testTimeout: 600_000 });

test.each([60])("what a check says lives in a dim line of %d columns, also where it is cut", async (columns) => {
  expect.hasAssertions();
  await livesInOneLine(columns);
});

test.skipIf(NO_TERMINAL !== undefined).each([60])(
  "a task beside a session says it dim in a live line of %d columns too",
  async (columns) => {
    expect.hasAssertions();
    await saysItDim(columns);
  },
);

test("a mode that is chosen while a task works is told as one for what is said next", async () => {
  const wait: ScriptedCall = { name: "run_command", input: { command: "echo begun; while [ ! -e go ]; do sleep 0.05; done" } };
  const here = scriptedProject(FILES, script([wait, ...STEPS]));
  await using session = await openHeadlessSession(
    { dir: here.dir, env: { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules } },
    { rows: 60 },
  );
  await session.sees("ready");
  session.say('/task mend it --check "node check.mjs"');
  await session.sees(/│ begun[\s\S]*working, step 1$/u);
  session.type(KEYS.cycle);
  await session.sees(/master · ask-edits from the next · working, step 1$/u);
  for (const _mode of ["accept-edits", "plan", "auto", "default"]) session.type(KEYS.cycle);
  await session.sees(/master · working, step 1$/u);
  session.type(KEYS.cycle);
  await session.sees(/ask-edits from the next · working, step 1$/u);
  writeFileSync(path.join(here.dir, "go"), "");
  const over = await session.sees(/verified[\s\S]*master · ask-edits · ready$/u);
  expect(over).not.toContain("Allow it?");
});
