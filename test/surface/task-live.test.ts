/** A task while it happens, at a real terminal and over a server: nothing of this is in any result or in the journal. */
import { expect, test } from "vitest";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { startWireServer } from "../support/wire-server/wire-server.ts";
import type { WireAnswer } from "../support/wire-server/wire-types.ts";
import { MAIN } from "../support/built-command.ts";
import { projectFor } from "./task-live.ts";

const PRICES = `llm:
  catalogue: { openai/tiny: { input_price: 1000, output_price: 1000, cache_read_price: 0, cache_write_price: 0 } }
`;

test.skipIf(NO_TERMINAL !== undefined)(
  "LLM-050 ~TOO-022 ~TOO-046 ~ERR-005 ~ERR-013: words as they come, why it waits and for how long, what commands say, what it costs",
  async () => {
    const answers: WireAnswer[] = [
      { status: 429, message: "slow down", headers: { "retry-after": "2" } },
      // Never part of an answer: whoever sees it saw it as it came.
      { text: "Looking around first.\nand then nothing more", pieceChars: 8, fault: { kind: "cut", afterFrames: 5 } },
      { text: "All is well.\n", toolCalls: [{ name: "complete", input: { summary: "fine" } }], usage: { input: 100, output: 10 } },
    ];
    await using server = await startWireServer(() => (answers.length > 1 ? answers.shift() : answers[0]) ?? {});
    const project = projectFor({ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "key-for-tests" }, PRICES);
    const check = "sh -c 'echo checking now; grep -q 1 n.txt'";
    const { screen, code } = await atTerminal([process.execPath, MAIN, "task", "start", "look", "-m", "openai/tiny", "--check", check], {
      cwd: project.dir,
      env: project.env,
      typed: [],
    });
    expect(screen).toMatch(/openai asks to wait in \d s/);
    expect(screen).toContain("again in 1 s");
    expect(screen).toContain("Looking around first.");
    expect(screen).toMatch(/openai\/tiny: .*; asked again/);
    expect(screen).toContain("All is well.");
    expect(screen).toContain("$ sh -c 'echo checking now");
    expect(screen).toContain("│ checking now");
    expect(screen).toMatch(/\$\d\.\d{4} so far, \d model calls/);
    // Its check passed from the start: nothing shows the goal.
    expect(code).toBe(3);
  },
);
