/** `closed-terminal.test.ts` goes on here with what takes longer. */
import { randomInt } from "node:crypto";
import { expect, test, vi } from "vitest";
import { atPty, processesWith, until } from "../support/closable-terminal.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { NO_TERMINAL } from "../support/terminal.ts";
import { runSylk } from "../support/run-sylk.ts";
import { FILES, END } from "./closed-terminal.ts";

vi.setConfig({ testTimeout: 240_000 });

test.skipIf(NO_TERMINAL !== undefined)(
  "the terminal is closed while a line and a task run: both end, no process is left, and the task can be gone on with",
  async () => {
    const mark = String(randomInt(100_000_000, 999_999_999));
    const here = scriptedProject(FILES, script([{ name: "run_command", input: { command: `sleep ${mark}` } }, END]));
    for (const say of [`!sleep ${mark}`, `/task mend it --check "node add.mjs" -m ${here.rules}`]) {
      const { child, sees } = atPty(here.dir, { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules, SYLK_TEST_MARK: mark });
      await sees("ready");
      child.stdin.write(`${say}\r`);
      await until(() => processesWith(`sleep\0${mark}`).length > 0);
      child.kill("SIGKILL");
      await until(() => processesWith(mark).length === 0);
    }
    expect((await runSylk(here.dir, here.env, ["task", "list"])).out).toMatch(/interrupted|paused/u);
    expect((await runSylk(here.dir, here.env, ["journal", "verify"])).code).toBe(0);
  },
);
