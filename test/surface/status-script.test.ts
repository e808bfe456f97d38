/** The user's own status program: run when something changed and not too often, and what becomes of one that misbehaves. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { openApp } from "../../src/app/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { StatusScript } from "../../src/surface/cli/terminal/status-script.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

vi.setConfig({ testTimeout: 120_000 });

const facts = (tokens: number) => ({
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
async function withProgram(command: (counted: string) => string) {
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

test("it runs only when something changed, and not again before its time; then with what is newest", async () => {
  await using made = await withProgram((counted) => `tee -a ${counted} | sed 's/.*"tokens":\\([0-9]*\\).*/\\1 tokens/'`);
  const { program, clock, said } = made;
  program.tell(facts(1));
  await made.ran(1);
  expect(program.line).toBe("1 tokens");
  // The same again is nothing new, however much time passed.
  await clock.advance(10_000);
  program.tell(facts(1));
  expect(clock.sleeping).toBe(0);
  program.tell(facts(2));
  await made.ran(2);
  for (const tokens of [3, 4, 5]) program.tell(facts(tokens));
  await made.waits();
  await clock.advance(299);
  expect([said.runs, clock.sleeping]).toEqual([2, 1]);
  await clock.advance(1);
  await made.ran(3);
  expect(made.counted()).toEqual([1, 2, 5]);
  expect(said.lines).toEqual(["1 tokens", "2 tokens", "5 tokens"]);
  // What went back to what was told meanwhile is no reason either.
  program.tell(facts(6));
  await made.waits();
  program.tell(facts(5));
  await clock.advance(300);
  expect([said.runs, clock.sleeping]).toEqual([3, 0]);
});

test("one that fails is not run more often than one that works", async () => {
  await using made = await withProgram((counted) => `tee -a ${counted}; exit 3`);
  const { program, clock, said } = made;
  program.tell(facts(1));
  await made.ran(1);
  program.tell(facts(2));
  await made.waits();
  expect([said.runs, program.line]).toEqual([1, ""]);
  await clock.advance(300);
  await made.ran(2);
  expect([made.counted(), said.lines]).toEqual([[1, 2], []]);
});

test.each([
  ["hangs", () => "sleep 600"],
  ["floods without an end", () => "yes 'no end'"],
  ["is not there", () => "/nowhere/at/all"],
  ["says nothing", () => "cat > /dev/null"],
])("one that %s shows nothing, and the next thing told is told to it again", async (_what, command) => {
  await using made = await withProgram(command);
  made.program.tell(facts(1));
  await made.ran(1);
  made.program.tell(facts(2));
  await made.waits();
  await made.clock.advance(300);
  await made.ran(2);
  expect([made.program.line, made.said.lines]).toEqual(["", []]);
});

test("of one that says much, its first line is shown, and no more of it than fits a line", async () => {
  await using made = await withProgram(() => `cat > /dev/null; head -c 5000 /dev/zero | tr '\\0' 'x'; printf '\\nsecond\\n'`);
  made.program.tell(facts(1));
  await made.ran(1);
  expect(made.program.line).toBe("x".repeat(400));
});
