/** The user's own status program: run when something changed and not too often, and what becomes of one that misbehaves. */
import { expect, test, vi } from "vitest";
import { facts, withProgram, showsNothing } from "./status-script.ts";

vi.setConfig({ testTimeout: 120_000 });

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
  ["is not there", () => "/nowhere/at/all"],
  ["says nothing", () => "cat > /dev/null"],
])("one that %s shows nothing, and the next thing told is told to it again", async (_what, command) => {
  expect.hasAssertions();
  await showsNothing(command);
});

test("of one that says much, its first line is shown, and no more of it than fits a line", async () => {
  await using made = await withProgram(() => `cat > /dev/null; head -c 5000 /dev/zero | tr '\\0' 'x'; printf '\\nsecond\\n'`);
  made.program.tell(facts(1));
  await made.ran(1);
  expect(made.program.line).toBe("x".repeat(400));
});
