import { expect, test } from "vitest";
import { isTestFile, lostDemands } from "./test-files.ts";

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
