/** What `status-script.test.ts` and its long form share. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, vi } from "vitest";
import { openApp } from "../../src/app/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { StatusScript } from "../../src/surface/cli/terminal/status-script.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

export const facts = (tokens: number) => ({
  version: "0.0.0",
  session: "session_1",
  cwd: "/project",
  model: null,
  mode: "default",
  branch: null,
  request: null,
  task: null,
  step: null,
  tokens,
  cost_usd: 0,
});

/** The program is real; only time stands still until it is told to move. */
export async function withProgram(command: (counted: string) => string) {
  const here = scriptedProject({ "a.txt": "a\n" }, script([{ name: "complete", input: { summary: "x" } }]));
  const counted = path.join(here.base, "counted");
  const env = { ...here.env, SYLK_TERMINAL_STATUS_COMMAND: command(counted) };
  const app = await openApp({ cwd: here.dir, env, clock: systemClock });
  const stop = new AbortController();
  const clock = new ManualClock();
  const said = { runs: 0, lines: [] as string[] };
  const program: StatusScript = new StatusScript(
    {
      signal: stop.signal,
      send: async (asked) => {
        const answer = await app.api.send(asked, stop.signal);
        said.runs += 1;
        return answer;
      },
    },
    () => said.lines.push(program.line),
    clock,
  );
  return {
    program,
    clock,
    said,
    /** Tokens it was told, run by run. */
    counted: (): number[] =>
      existsSync(counted)
        ? readFileSync(counted, "utf8")
            .trim()
            .split("\n")
            .map((line) => (JSON.parse(line) as { tokens: number }).tokens)
        : [],
    ran: (runs: number) => vi.waitFor(() => expect(said.runs).toBe(runs), { timeout: 60_000 }),
    waits: () => vi.waitFor(() => expect(clock.sleeping).toBe(1), { timeout: 60_000 }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await app.close();
    },
  };
}

export async function showsNothing(command: () => string): Promise<void> {
  await using made = await withProgram(command);
  made.program.tell(facts(1));
  await made.ran(1);
  made.program.tell(facts(2));
  await made.waits();
  await made.clock.advance(300);
  await made.ran(2);
  expect([made.program.line, made.said.lines]).toEqual(["", []]);
}
