/** What the tools really print (`test/fixtures/reports`, made with the tools themselves): failures whole, passing tests never. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { readReport, type ToolReport } from "./read-report.ts";
import { showFailures } from "./show-failures.ts";

const FOLDER = "test/fixtures/reports";
const read = (name: string): ToolReport =>
  readReport({
    format: undefined,
    report: stripVTControlCharacters(readFileSync(path.join(FOLDER, `${name}.txt`), "utf8")),
    exitCode: 1,
    output: "",
    root: "/proj",
  });

/** Summary, then the failing tests with their places. */
const TESTS: Record<string, [summary: string, failures: string[]]> = {
  "cargo-test": ["1 passed, 2 failed, 1 skipped", ["tests::adds src/lib.rs:14", "tests::panics src/lib.rs:20"]],
  "go-build": [
    "3 failed",
    ["tile_test.go tile_test.go:5", "pitch_test.go pitch_test.go:6", "english/words_test.go english/words_test.go:5"],
  ],
  "go-json": [
    "2 passed, 2 failed, 1 skipped",
    ["example.com/rep > TestAdd add_test.go:9", "example.com/rep > TestTable/five add_test.go:17"],
  ],
  "go-text": ["2 failed", ["TestAdd add_test.go:9", "TestTable/five add_test.go:17"]],
  "go-verbose": ["2 passed, 2 failed, 1 skipped", ["TestAdd add_test.go:9", "TestTable/five add_test.go:17"]],
  "jest-json": [
    "2 passed, 3 failed, 1 skipped",
    ["add > adds two numbers a.test.cjs:5", "add > returns the sum a.test.cjs:6", "test file could not be run b.test.cjs:1"],
  ],
  jest: [
    "2 passed, 3 failed, 1 skipped",
    ["add > adds two numbers a.test.cjs:5", "add > returns the sum a.test.cjs:6", "Test suite failed to run b.test.cjs:1"],
  ],
  "mocha-json": ["2 passed, 2 failed, 1 skipped", ["add adds two numbers a.test.cjs:6", "add returns the sum a.test.cjs:7"]],
  "mocha-tap": ["2 passed, 2 failed, 1 skipped", ["add adds two numbers a.test.cjs:6", "add returns the sum a.test.cjs:7"]],
  mocha: ["2 passed, 2 failed, 1 skipped", ["add > adds two numbers a.test.cjs:6", "add > returns the sum a.test.cjs:7"]],
  "node-junit": [
    "4 passed, 4 failed, 2 skipped",
    [
      "add > adds two numbers a.test.mjs:8",
      "add.with objects > returns the sum a.test.mjs:10",
      "a group > inner throws a.test.mjs:15",
      "test > b.test.mjs b.test.mjs:",
    ],
  ],
  "node-spec": [
    "4 passed, 5 failed, 2 skipped",
    ["adds two numbers a.test.mjs:8", "returns the sum a.test.mjs:10", "inner throws a.test.mjs:15", "b.test.mjs b.test.mjs:1"],
  ],
  "node-tap": [
    "4 passed, 4 failed, 2 skipped",
    [
      "add > adds two numbers a.test.mjs:8",
      "add > with objects > returns the sum a.test.mjs:10",
      "a group > inner throws a.test.mjs:15",
      "b.test.mjs b.test.mjs:1",
    ],
  ],
  "pytest-collect": ["0 passed, 1 failed, 0 skipped", ["test_broken.py test_broken.py:1"]],
  "pytest-junit": [
    "2 passed, 2 failed, 1 skipped",
    ["test_add > test_adds test_add.py:14", "test_add.TestMore > test_twice[5] test_add.py:20"],
  ],
  pytest: [
    "2 passed, 2 failed, 1 skipped",
    ["test_add.py::test_adds test_add.py:14", "test_add.py::TestMore::test_twice[5] test_add.py:20"],
  ],
  tape: ["2 passed, 2 failed, 0 skipped", ["adds two numbers a.test.cjs:6", "returns the sum a.test.cjs:7"]],
  "unittest-verbose": [
    "1 passed, 2 failed, 1 skipped",
    ["unit_add.AddTest.test_raises unit_add.py:12", "unit_add.AddTest.test_adds unit_add.py:9"],
  ],
  unittest: ["1 passed, 2 failed, 1 skipped", ["unit_add.AddTest.test_raises unit_add.py:12", "unit_add.AddTest.test_adds unit_add.py:9"]],
  "vitest-json": [
    "2 passed, 3 failed, 1 skipped",
    ["add > adds two numbers a.test.js:6", "add > returns the sum a.test.js:7", "test file could not be run b.test.js:"],
  ],
  "vitest-junit": [
    "2 passed, 3 failed, 1 skipped",
    [
      "a.test.js > add > adds two numbers a.test.js:6",
      "a.test.js > add > returns the sum a.test.js:7",
      "b.test.js > b.test.js b.test.js:1",
    ],
  ],
  "vitest-tap": [
    "2 passed, 3 failed, 1 skipped",
    ["a.test.js > add > adds two numbers a.test.js:6", "a.test.js > add > returns the sum a.test.js:7", "b.test.js b.test.js:1"],
  ],
  vitest: [
    "2 passed, 3 failed, 1 skipped",
    ["test file could not be run b.test.js:1", "add > adds two numbers a.test.js:6", "add > returns the sum a.test.js:7"],
  ],
};

const DIAGNOSTICS: Record<string, string[]> = {
  "biome-json": ["bad.js:1", "bad.js:2"],
  "eslint-json": ["bad.js:1", "bad.js:2", "bad.js:2", "bad.js:2"],
  eslint: ["bad.js:1", "bad.js:2", "bad.js:2", "bad.js:2"],
  "ruff-json": ["lint_me.py:1", "lint_me.py:1", "lint_me.py:2"],
  "tsc-pretty": ["a.ts:1", "a.ts:2", "a.ts:2"],
  tsc: ["a.ts:1", "a.ts:2", "a.ts:2"],
};

test.each(Object.entries(TESTS))("20: %s: what failed is found by name and place, and its sums", (name, [summary, failures]) => {
  const report = read(name);
  expect(report.summary).toBe(summary);
  expect(report.tests?.failures.map((one) => `${one.name} ${one.file ?? ""}:${one.line ?? ""}`)).toEqual(failures);
});

test.each(Object.keys(TESTS))("20: %s: each failure is told whole within its room, and nothing of what passed", (name) => {
  const report = read(name);
  const shown = showFailures(report) ?? "";
  expect(shown.startsWith(report.summary)).toBe(true);
  expect(shown.split("\n")[1]).toMatch(/^✗ /);
  expect(shown).not.toMatch(/error.{0,4}in.{0,4}the.{0,4}name|tried again|TestErrorInTheName/i);
  for (const one of report.tests?.failures ?? []) expect(shown).toContain(`✗ ${one.name}`);
  for (const part of shown.split("\n✗ ")) expect(part.length).toBeLessThan(1_500);
  expect(shown).toMatch(/-1|want 3|cannot add|not_there|missing|undefined: Tile/);
});

test("what Jest tells a second time after many suites is counted and told once", () => {
  const once = readFileSync(path.join(FOLDER, "jest.txt"), "utf8");
  const failures = once.slice(0, once.indexOf("Test Suites:"));
  const twice = once.replace("Test Suites:", `Summary of all failing tests\n${failures}\nTest Suites:`);
  const report = readReport({ format: undefined, report: twice, exitCode: 1, output: "", root: "/proj" });
  expect(report).toEqual(read("jest"));
  expect((showFailures(report) ?? "").match(/✗ add > adds two numbers/gu)).toHaveLength(1);
});

test.each(Object.entries(DIAGNOSTICS))("20: %s: every complaint with its place", (name, places) => {
  expect(read(name).diagnostics.map(({ file, line }) => `${file}:${line}`)).toEqual(places);
});

test("20: every kept output is read", () => {
  const kept = readdirSync(FOLDER).map((file) => file.replace(/\.txt$/, ""));
  expect(kept.toSorted()).toEqual([...Object.keys(TESTS), ...Object.keys(DIAGNOSTICS)].toSorted());
});
