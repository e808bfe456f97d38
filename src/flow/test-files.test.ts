import { expect, test } from "vitest";
import type { WorkTree } from "../workspace/index.ts";
import { isTestFile, judgingChanged, lostDemands, saysTheSame } from "./test-files.ts";

test("what a file of tests demanded on either side of a conflict stays demanded, however it is combined", () => {
  const marked = [
    `import { test } from "node:test";`,
    "<<<<<<< ours",
    `test("a", () => {`,
    "  expect(a()).toBe(1);",
    "=======",
    `test("b", () => {`,
    "  expect(b()).toBe(2);",
    ">>>>>>> theirs",
    "});",
  ].join("\n");
  const both = `test("b", () => {\n  expect(b()).toBe(2);\n});\ntest("a", () => {\n    expect(a()).toBe(1);\n});\n`;
  expect(lostDemands(marked, both)).toEqual([]);
  expect(lostDemands(marked, both.replace("toBe(2)", "toBeDefined()"))).toEqual(["expect(b()).toBe(2);"]);
  expect(["test/a.js", "src/a.test.ts", "tests/test_x.py", "pkg/x_test.go"].map(isTestFile)).toEqual([true, true, true, true]);
  expect(["src/contest.ts", "src/latest/a.js"].map(isTestFile)).toEqual([false, false]);
});

test.each([
  [
    "a script that the tests call",
    { test: "npm run -s unit", unit: "node --test" },
    { test: "npm run -s unit", unit: "node fake.mjs" },
    true,
  ],
  ["a script before the tests", { test: "node --test" }, { test: "node --test", pretest: "node fake.mjs" }, true],
  ["a script that has nothing to do with them", { test: "node --test", build: "tsc" }, { test: "node --test", build: "tsc -b" }, false],
])("how tests are run is changed by %s", async (_what, before, after, isChanged) => {
  const texts = new Map([
    ["old", { scripts: before }],
    ["new", { scripts: after }],
  ]);
  const tree = {
    changes: () => Promise.resolve([{ path: "package.json", status: "modified", oldBlob: "old", newBlob: "new" }]),
    content: (blob: string) => Promise.resolve(Buffer.from(JSON.stringify(texts.get(blob)))),
  } as unknown as WorkTree;
  expect(await judgingChanged(tree, "base", new AbortController().signal)).toEqual(isChanged ? ["package.json"] : []);
});

test("a file that decides how tests are run is seen when it is new, too", async () => {
  const tree = {
    changes: () => Promise.resolve([{ path: "vitest.config.ts", status: "added", oldBlob: "0", newBlob: "new" }]),
  } as unknown as WorkTree;
  expect(await judgingChanged(tree, "base", new AbortController().signal)).toEqual(["vitest.config.ts"]);
});

test.each([
  ["a formatter's", `assert.equal(loud("a"), "b")`, `assert.equal(\n  loud('a'),\n  'b',\n);\n`, true],
  ["another word's", `assert.equal(loud("a"), "b")`, `assert.equal(loud("a"), "c")`, false],
  ["another sign's", "assert.ok(a > b)", "assert.ok(a < b)", false],
])("a test says the same after %s change, or does not", (_what, before, after, isSame) => {
  expect(saysTheSame(before, after)).toBe(isSame);
});
