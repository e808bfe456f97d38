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
  "test.js",
  "app/tests.py",
  "test-foo.mjs",
  "FooTests.cs",
  "src/FooTest.java",
  "app/src/androidTest/java/FooTest.kt",
  "cypress/e2e/a.cy.ts",
  "src/__mocks__/fs.ts",
  "tests/conftest.py",
])("%s is a file of tests", (file) => expect(isTestFile(file)).toBe(true));

test.each(["src/Latest.java", "src/contests.py", "docs/protest.md", "src/Inspect.cs", "src/attest-it.ts"])("%s is none", (file) =>
  expect(isTestFile(file)).toBe(false),
);

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

test.each([
  "vitest.config.ts",
  "vite.config.ts",
  "vitest.workspace.ts",
  "tests/conftest.py",
  "makefile",
  "GNUmakefile",
  "build/rules.mk",
  "phpunit.xml.dist",
  ".pytest.ini",
  "pytest.toml",
  ".rspec",
  ".taprc",
  "spec/support/jasmine.json",
  ".cargo/config.toml",
  "all.runsettings",
])("%s decides how tests are run, and is seen when it is new, too", async (path) => {
  const tree = {
    changes: () => Promise.resolve([{ path, status: "added", oldBlob: "0", newBlob: "new" }]),
  } as unknown as WorkTree;
  expect(await judgingChanged(tree, "base", new AbortController().signal)).toEqual([path]);
});

test.each([
  ["what pytest is started with", "pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-p plug"\n', true],
  ["the same in another place", "setup.cfg", "[tool:pytest]\naddopts = -p plug\n", true],
  ["what it depends on", "pyproject.toml", '[project]\ndependencies = ["attrs"]\n', false],
])("of a file that says much else only what speaks of tests judges: %s", async (_what, path, added, isChanged) => {
  const texts: Record<string, string> = { old: "[project]\nname = 'a'\n\n", new: `[project]\nname = 'a'\n\n${added}` };
  const tree = {
    changes: () => Promise.resolve([{ path, status: "modified", oldBlob: "old", newBlob: "new" }]),
    content: (blob: string) => Promise.resolve(Buffer.from(texts[blob] ?? "")),
  } as unknown as WorkTree;
  expect(await judgingChanged(tree, "base", new AbortController().signal)).toEqual(isChanged ? [path] : []);
});

test("what separates lines elsewhere begins no section: what pytest is started with stays in its own", async () => {
  const text = "[tool.pytest.ini_options] # \u2028[project]\n";
  const texts: Record<string, string> = { old: text, new: `${text}addopts = "-p plug"\n` };
  const tree = {
    changes: () => Promise.resolve([{ path: "pyproject.toml", status: "modified", oldBlob: "old", newBlob: "new" }]),
    content: (blob: string) => Promise.resolve(Buffer.from(texts[blob] ?? "")),
  } as unknown as WorkTree;
  expect(await judgingChanged(tree, "base", new AbortController().signal)).toEqual(["pyproject.toml"]);
});

test.each([
  ["a formatter's", `assert.equal(loud("a"), "b")`, `assert.equal(\n  loud('a'),\n  'b',\n);\n`, true],
  ["another word's", `assert.equal(loud("a"), "b")`, `assert.equal(loud("a"), "c")`, false],
  ["another sign's", "assert.ok(a > b)", "assert.ok(a < b)", false],
])("a test says the same after %s change, or does not", (_what, before, after, isSame) => {
  expect(saysTheSame(before, after)).toBe(isSame);
});
