import { expect, test } from "vitest";
import type { Place } from "../protocol/index.ts";
import type { CheckResult } from "../step/task-facts.ts";
import { checkPlace, type CheckOptions } from "./judge.ts";
import type { FlowParts } from "./parts.ts";

const TREE: Place = { kind: "tree", tree: "t", folder: "/t" };

/** What is made of these results, as if they had just been run in a copy. */
function judged(results: readonly CheckResult[], before: readonly string[]) {
  const parts = {
    engine: () => Promise.resolve({}),
    taskTrees: { stands: () => Promise.resolve(undefined), withCopy: () => Promise.resolve(results) },
  } as unknown as FlowParts;
  const as = {} as CheckOptions["as"];
  return checkPlace(parts, TREE, {
    as,
    checks: results.map(({ name, command }) => ({ name, command })),
    before,
    signal: new AbortController().signal,
  });
}

const failed = (name: string, command: string, tests: readonly string[]): CheckResult => ({
  name,
  command,
  passed: false,
  exit: 1,
  summary: `${tests.length} failed`,
  signature: "s",
  problems: tests.map((rule) => ({ severity: "error", rule, message: "no", path: "a.test.js", test: true })),
  tests: { passed: 3, failed: tests.length, skipped: 0 },
});

test("a command that is a check and shows an assertion too says everything once: failures, what is new of them, how many tests ran", async () => {
  const both = [failed("check", "npm test", ["old", "new"]), failed("A1", "npm test", ["old", "new"])];
  const { failing, fresh, tests, lines, each } = await judged(both, ["old"]);
  expect([failing, fresh, tests]).toEqual([["old", "new"], ["new"], 5]);
  // By its own name each is still there.
  expect(lines.map(({ name }) => name)).toEqual(["check", "A1"]);
  expect(each.map((one) => one.fresh.map(({ name }) => name))).toEqual([["new"], ["new"]]);
});

test("one that failed before as a check is nothing new as an assertion's command; two commands are two", async () => {
  const plain = (name: string, command: string): CheckResult => ({ ...failed(name, command, []), problems: [] });
  expect(await judged([plain("check", "npm test"), plain("A1", "npm test")], ["check"])).toMatchObject({ fresh: [], failing: ["check"] });
  expect((await judged([plain("check", "npm test"), plain("A1", "npm run lint")], ["check"])).fresh).toEqual(["A1"]);
});
