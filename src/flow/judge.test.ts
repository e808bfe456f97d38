import { expect, test } from "vitest";
import type { Place } from "../protocol/index.ts";
import type { CheckResult } from "../step/task-facts.ts";
import type { TaskState } from "../step/index.ts";
import { checkPlace, weigh, type CheckOptions } from "./judge.ts";
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

test("where tests are put in that are not there, what a place without them said counts for nothing: it is run", async () => {
  const signal = new AbortController().signal;
  const asked: string[] = [];
  const parts = {
    engine: () => Promise.resolve({}),
    taskTrees: {
      stands: () => Promise.resolve(void asked.push("what is known")),
      withCopy: () => Promise.resolve((asked.push("a run"), [failed("check", "npm test", ["held out"])])),
    },
  } as unknown as FlowParts;
  const as = {} as CheckOptions["as"];
  const checks = [{ name: "check", command: "npm test" }];
  const { failing } = await checkPlace(parts, TREE, { as, checks, put: [{ path: "more.test.js", content: "blob" }], signal });
  expect([failing, asked]).toEqual([["held out"], ["a run"]]);
  // Nothing to run needs no copy.
  expect((await checkPlace(parts, TREE, { as, checks: [], signal })).lines).toEqual([]);
  expect(asked).toEqual(["a run"]);
});

const RULES = {
  rules: [{ path: "AGENTS.md", text: "Never  use var in this\nproject." }],
  constraints: ["no new dependencies"],
  goal: "add it",
};
const FORBIDDEN = { could_not_run: { why: "may not run", fix: "", forbidden: true } };

test.each<[string, unknown, CheckResult | undefined, boolean]>([
  ["without evidence", undefined, undefined, false],
  ["with a test that fails", { kind: "test", what: "a.test.js > adds" }, undefined, true],
  ["with a test that does not", { kind: "test", what: "subtracts" }, undefined, false],
  ["with words of a rule", { kind: "rule", what: "never use VAR in this project" }, undefined, true],
  ["with words of a limit", { kind: "rule", what: "no new dependencies" }, undefined, true],
  ["with words that are in no rule", { kind: "rule", what: "never use let in this project" }, undefined, false],
  ["with words too few to be a rule", { kind: "rule", what: "use var" }, undefined, false],
  ["with a command that fails", { kind: "command", what: "npm run lint" }, failed("finding", "npm run lint", []), true],
  [
    "with a command that passes",
    { kind: "command", what: "npm run lint" },
    { ...failed("finding", "npm run lint", []), passed: true, exit: 0 },
    false,
  ],
  [
    "with a command that may not run",
    { kind: "command", what: "npm run lint" },
    { ...failed("finding", "npm run lint", []), exit: null, ...FORBIDDEN },
    false,
  ],
])("a finding %s holds work up or is a note", async (_what, evidence, ran, blocks) => {
  const parts = {
    engine: () => Promise.resolve({}),
    taskTrees: { stands: () => Promise.resolve(undefined), withCopy: () => Promise.resolve(ran === undefined ? [] : [ran]) },
  } as unknown as FlowParts;
  const finding = { text: "it is wrong", ...(evidence === undefined ? {} : { evidence }) };
  const task = { created: RULES, outputs: { findings: [JSON.stringify(finding)] } } as unknown as TaskState;
  const weighed = await weigh(parts, TREE, task, { failing: ["adds"] }, new AbortController().signal);
  expect(weighed).toEqual([{ ...finding, blocks }]);
});
