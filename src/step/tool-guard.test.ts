import { expect, test } from "vitest";
import { z } from "zod";
import { SylkError, type Clock } from "../kernel/index.ts";
import type { Action, ActionResult } from "./actions/action.ts";
import { ToolGuard } from "./tool-guard.ts";

const never = new AbortController().signal;
const passing = (): SylkError => new SylkError({ code: "DEADLINE_PASSED", tier: "transient", message: "the index is busy" });
const fine: ActionResult = { ok: true, outcome: "found", summary: "found" };

/** Waiting is written down, and is over at once. */
function lab() {
  const clock = { at: 0, waited: [] as number[] };
  const time: Clock = { now: () => clock.at, monotonic: () => clock.at, sleep: (ms) => (clock.waited.push(ms), Promise.resolve()) };
  const tool = (name: string, effect: Action["effect"]): Action => ({
    name,
    summary: "",
    effect,
    schema: z.object({}),
    target: () => "",
    execute: () => Promise.resolve(fine),
  });
  return { clock, guard: new ToolGuard(time), tool };
}

test("~TOO-043: what fails for a moment is tried again, what fails for good is not, and a change is never repeated", async () => {
  const { guard, tool, clock } = lab();
  const failing = (times: number, error: () => Error) => {
    let calls = 0;
    return { work: () => ((calls += 1) <= times ? Promise.reject(error()) : Promise.resolve(fine)), calls: () => calls };
  };
  const twice = failing(2, passing);
  expect(await guard.run(tool("search", "none"), twice.work, never)).toBe(fine);
  expect([twice.calls(), clock.waited]).toEqual([3, [100, 400]]);
  const often = failing(9, passing);
  expect(await guard.run(tool("search", "none"), often.work, never)).toMatchObject({
    ok: false,
    outcome: "error",
    summary: "search broke (3 times): the index is busy",
  });
  const broken = failing(1, () => new Error("no such table"));
  expect(await guard.run(tool("search", "none"), broken.work, never)).toMatchObject({ outcome: "error" });
  const edit = failing(1, passing);
  expect(await guard.run(tool("edit_file", "files"), edit.work, never)).toMatchObject({ outcome: "error" });
  expect([broken.calls(), edit.calls()]).toEqual([1, 1]);
  // A result is a result, however bad.
  const bad = { ok: false, outcome: "exit_1", summary: "exited with 1" };
  for (let i = 0; i < 9; i += 1) expect(await guard.run(tool("run_command", "process"), () => Promise.resolve(bad), never)).toBe(bad);
});

test("~ERR-038: each tool has its own breaker, which lets one try through after a while", async () => {
  const { guard, tool, clock } = lab();
  const breaks = () => Promise.reject(new Error("gone"));
  const userFixable = () => Promise.reject(new SylkError({ code: "FILE_NO_PERMISSION", tier: "user_fixable", message: "no" }));
  for (let i = 0; i < 9; i += 1) expect(await guard.run(tool("a", "none"), userFixable, never)).toMatchObject({ outcome: "error" });
  for (let i = 0; i < 5; i += 1) expect(await guard.run(tool("a", "none"), breaks, never)).toMatchObject({ outcome: "error" });
  expect(await guard.run(tool("a", "none"), () => Promise.resolve(fine), never)).toMatchObject({
    outcome: "broken",
    summary: "a broke several times in a row and is left alone for 30 s; do it another way",
  });
  expect(await guard.run(tool("b", "none"), () => Promise.resolve(fine), never)).toBe(fine);
  clock.at = 30_000;
  expect(await guard.run(tool("a", "none"), () => Promise.resolve(fine), never)).toBe(fine);
  expect(await guard.run(tool("a", "none"), () => Promise.resolve(fine), never)).toBe(fine);
});
