/** `first-run.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { KEYS, openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { atTerminal, NO_TERMINAL } from "../support/terminal.ts";
import { MAIN } from "../support/built-command.ts";
import { place, AWAY } from "./first-run.ts";

test.skipIf(NO_TERMINAL !== undefined)(
  "a key is recognised, asked about and kept, its models are offered, and the prompt follows; the next session asks nothing",
  { timeout: 120_000 },
  async () => {
    const at = place(AWAY);
    const env = { ...at.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
    const { screen } = await atTerminal([process.execPath, MAIN], {
      cwd: at.dir,
      env,
      typed: [
        { when: "API key or address", keys: `sk-ant-good-for-tests${KEYS.enter}` },
        { when: "Keep it all the same?", keys: `${KEYS.down}${KEYS.enter}` },
        { when: "Which model?", keys: KEYS.enter },
        { when: "using anthropic/claude-sonnet-4-5", keys: `/quit${KEYS.enter}` },
      ],
    });
    expect(screen).toContain("No model can be used yet.");
    expect(screen).not.toContain("sk-ant-good-for-tests");
    expect(at.config()).toMatchObject({ llm: { default_model: "anthropic/claude-sonnet-4-5" } });
    const list = await runSylk(at.dir, at.env, ["auth", "list", "--json"]);
    expect(JSON.parse(list.out)).toMatchObject({ credentials: [{ provider: "anthropic" }] });
    await using again = await openHeadlessSession(at, { asksForModel: true });
    again.say("/help");
    expect(await again.sees("/quit")).not.toContain("No model can be used yet.");
  },
);
