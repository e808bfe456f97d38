/** A bug is reproduced, mended, and shown to be gone. */
import { expect, test } from "vitest";
import { ADD_TEST, comment, done, edit, fix, spring, write, type Trap } from "./trap.ts";

const COMMAND = 'grep -q "a + b" add.mjs';
const reproduce = (command: string) => ({ name: "reproduce", input: { command } });
const bug = (trap: Trap) => spring({ type: "fix_bug", goal: "add(1, 2) gives -1", ...trap });

test("18: fix_bug goes from reproducing to mending to showing, and a test that fails without the change verifies it", async () => {
  const { end, lines, app, id } = await bug({ steps: [write("add.test.mjs", ADD_TEST), fix, done] });
  expect(end).toMatchObject({ status: "complete", verified: true, evidence: { kind: "test", what: ["it adds"] } });
  expect(lines.flatMap((line) => (line.type === "step" ? line.phase : []))).toEqual(["reproduce", "fix", "show"]);
  expect((await app.tasks.context(id, 1)).system).toContain("reproduce it");
  expect((await app.tasks.context(id, 3)).system).toContain("Would a test have failed before your change? If not, add one");
});

test("18: a command that the agent names before it mends anything is the reproduction, and its passing is the evidence", async () => {
  const { end, lines } = await bug({ steps: [reproduce(COMMAND), fix, done] });
  expect(end).toMatchObject({ status: "complete", verified: true, evidence: { kind: "reproduction", what: ["reproduction"] } });
  expect(lines.find((line) => line.type === "action")).toMatchObject({ action: "reproduce", ok: true, outcome: "reproduced" });
  expect(end.checks.map(({ name, passed }) => [name, passed])).toEqual([
    ["check", true],
    ["reproduction", true],
  ]);
});

test.each([
  ["passes already", [reproduce('grep -q "a - b" add.mjs')], "not_reproduced"],
  ["is named after the program was changed", [edit("add.mjs", "=> 'add'", "=> 'sum'"), reproduce('grep -q "a * b" add.mjs')], "refused"],
])("18: a command that %s reproduces nothing", async (_name, steps, outcome) => {
  const { end, lines } = await bug({ steps: [...steps, comment, done] });
  expect(lines.find((line) => line.type === "action" && line.action === "reproduce")).toMatchObject({ ok: false, outcome });
  expect(end).toMatchObject({ verified: false, checks: [{ name: "check" }] });
});
