import { expect, test } from "vitest";
import type { ReportFormat } from "../discover/types.ts";
import { headlines, readReport, type ToolReport } from "./read-report.ts";

const read = (format: ReportFormat | undefined, report: string, exitCode = 1): ToolReport =>
  readReport({ format, report, exitCode, output: "raw output", root: "/proj" });

test("~FMT-046 FMT-069 ~TOO-029: JUnit XML with failure, error, skip, CDATA and entities", () => {
  const xml = `<?xml version="1.0"?><!-- c --><testsuites time="1.5"><testsuite name="s" tests="4">
    <testcase classname="a.B" name="ok &lt;1&gt;" time="0.5"/>
    <testcase classname="a.B" name="bad" file="/proj/test/b.py" line="7"><failure message="1 != 2"><![CDATA[Traceback <here>
  File "/proj/test/b.py", line 9]]></failure></testcase>
    <testcase name="err"><error message="boom &#x41;">src/x.py:3: Boom</error></testcase>
    <testcase name="sk"><skipped/></testcase></testsuite></testsuites>`;
  expect(read("junit", xml)).toMatchObject({
    verdict: "failed",
    summary: "1 passed, 2 failed, 1 skipped",
    raw: undefined,
    tests: {
      durationMs: 1_500,
      passedNames: ["a.B > ok <1>"],
      failures: [
        { name: "a.B > bad", file: "test/b.py", line: 7, message: "1 != 2" },
        { name: "err", file: "src/x.py", line: 3, message: "boom A" },
      ],
    },
  });
});

test("~TOO-029: TAP with subtests: the inner points count, their sum does not", () => {
  const tap = `TAP version 13
# Subtest: ok
ok 1 - ok
# Subtest: suite
    # Subtest: inner ok
    ok 1 - inner ok
      ---
      type: 'test'
      ...
    # Subtest: inner bad
    not ok 2 - inner bad
      ---
      type: 'test'
      location: '/proj/a.test.mjs:3:55'
      error: |-
        Expected values to be strictly equal:

        1 !== 2
      expected: 2
      actual: 1
      ...
    1..2
not ok 2 - suite
  ---
  type: 'suite'
  ...
ok 3 - later # SKIP not now
1..3
# duration_ms 73.2
`;
  expect(read("tap", tap)).toMatchObject({
    summary: "2 passed, 1 failed, 1 skipped",
    tests: {
      durationMs: 73,
      failures: [
        {
          name: "suite > inner bad",
          file: "a.test.mjs",
          line: 3,
          message: "Expected values to be strictly equal:",
          expected: "2",
          actual: "1",
        },
      ],
    },
  });
});

test("FMT-069: Jest and Vitest JSON; a file that cannot be loaded is a failure", () => {
  const json = JSON.stringify({
    numPassedTests: 1,
    numFailedTests: 1,
    testResults: [
      {
        name: "/proj/a.test.ts",
        status: "failed",
        message: "",
        startTime: 100,
        endTime: 107,
        assertionResults: [
          { ancestorTitles: [], title: "ok", fullName: "ok", status: "passed", failureMessages: [] },
          {
            ancestorTitles: ["d"],
            title: "bad",
            status: "failed",
            failureMessages: [
              "Error: expected 1 to be 2\n\nExpected: 2\nReceived: 1\n    at /proj/a.test.ts:3:57\n    at file:///proj/node_modules/vitest/x.js:1:1",
            ],
          },
          { ancestorTitles: ["d"], title: "s", status: "skipped" },
        ],
      },
      { name: "/proj/b.test.ts", status: "failed", message: "Cannot find module './missing.ts'", assertionResults: [] },
    ],
  });
  for (const format of ["jest-json", "vitest-json"] as const) {
    expect(read(format, `> vitest run\n${json}\n`)).toMatchObject({
      verdict: "failed",
      summary: "1 passed, 2 failed, 1 skipped",
      tests: {
        durationMs: 7,
        failures: [
          { name: "d > bad", file: "a.test.ts", line: 3, message: "Error: expected 1 to be 2", expected: "2", actual: "1" },
          { name: "test file could not be run", file: "b.test.ts", message: "Cannot find module './missing.ts'" },
        ],
      },
    });
  }
});

test("~TOO-029: go test -json, with a failing test, a skip and a package that does not build", () => {
  const events = [
    { Action: "run", Package: "x/a", Test: "TestOk" },
    { Action: "pass", Package: "x/a", Test: "TestOk", Elapsed: 0.1 },
    { Action: "output", Package: "x/a", Test: "TestBad", Output: "=== RUN   TestBad\n" },
    { Action: "output", Package: "x/a", Test: "TestBad", Output: "    a_test.go:12: got 1, want 2\n" },
    { Action: "fail", Package: "x/a", Test: "TestBad", Elapsed: 0 },
    { Action: "skip", Package: "x/a", Test: "TestSkip" },
    { Action: "fail", Package: "x/a", Elapsed: 0.2 },
    { ImportPath: "x/b", Action: "build-output", Output: "b/b.go:3:5: undefined: y\n" },
    { Action: "fail", Package: "x/b", Elapsed: 0 },
  ];
  const text = events.map((event) => JSON.stringify(event)).join("\nnoise from the program\n");
  expect(read("go-test-json", text)).toMatchObject({
    summary: "1 passed, 2 failed, 1 skipped; 1 errors, 0 warnings",
    tests: {
      passedNames: ["x/a > TestOk"],
      failures: [{ name: "x/a > TestBad", file: "a_test.go", line: 12, message: "got 1, want 2" }, { name: "x/b > package" }],
    },
    diagnostics: [{ file: "b/b.go", line: 3, column: 5, severity: "error", message: "undefined: y" }],
  });
});

test("~TOO-029: cargo test, and a crate that does not compile", () => {
  const run = `running 3 tests
test tests::ig ... ignored
test tests::ok ... ok
test tests::bad ... FAILED

failures:

---- tests::bad stdout ----

thread 'tests::bad' (13309) panicked at src/lib.rs:5:22:
assertion \`left == right\` failed: sum
  left: 3
 right: 4


failures:
    tests::bad

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.16s
`;
  expect(read("cargo-test", run)).toMatchObject({
    summary: "1 passed, 1 failed, 1 skipped",
    tests: {
      durationMs: 160,
      passedNames: ["tests::ok"],
      failures: [
        { name: "tests::bad", file: "src/lib.rs", line: 5, expected: "4", actual: "3", message: "assertion `left == right` failed: sum" },
      ],
    },
  });
  const broken = "error[E0425]: cannot find value `c` in this scope\n --> src/lib.rs:1:41\n  |\nerror: could not compile `rs` (lib)\n";
  expect(read("cargo-test", broken, 101)).toMatchObject({
    verdict: "failed",
    diagnostics: [{ file: "src/lib.rs", line: 1, column: 41, rule: "E0425" }],
  });
  const json = `${JSON.stringify({ reason: "compiler-message", message: { level: "warning", message: "unused variable: x", code: { code: "unused_variables" }, spans: [{ file_name: "src/lib.rs", line_start: 2, column_start: 7, is_primary: true }] } })}\n${JSON.stringify({ reason: "build-finished", success: true })}\n`;
  expect(read("cargo-json", json, 0)).toMatchObject({
    verdict: "passed",
    summary: "0 errors, 1 warnings",
    diagnostics: [{ file: "src/lib.rs", line: 2, column: 7, severity: "warning", rule: "unused_variables" }],
  });
});

test("~TOO-029: tsc in both of its forms", () => {
  const text =
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts:1:2 - error TS2304: Cannot find name 'x'.\nerror TS5083: Cannot read file 'tsconfig.json'.\n";
  expect(read("tsc", text, 2).diagnostics).toEqual([
    {
      file: "src/a.ts",
      line: 3,
      column: 5,
      severity: "error",
      message: "Type 'string' is not assignable to type 'number'.",
      rule: "TS2322",
    },
    { file: "src/b.ts", line: 1, column: 2, severity: "error", message: "Cannot find name 'x'.", rule: "TS2304" },
    {
      file: undefined,
      line: undefined,
      column: undefined,
      severity: "error",
      message: "Cannot read file 'tsconfig.json'.",
      rule: "TS5083",
    },
  ]);
});

test("~TOO-029: ESLint, Biome and Ruff JSON", () => {
  const eslint = JSON.stringify([
    {
      filePath: "/proj/a.js",
      messages: [
        { ruleId: "no-undef", severity: 2, message: "'x' is not defined.", line: 1, column: 3 },
        { ruleId: null, severity: 1, message: "File ignored" },
      ],
    },
  ]);
  expect(read("eslint-json", eslint).diagnostics).toMatchObject([
    { file: "a.js", line: 1, column: 3, severity: "error", rule: "no-undef" },
    { severity: "warning", rule: undefined },
  ]);
  const biome = JSON.stringify({
    summary: {},
    diagnostics: [
      {
        category: "lint/style/useConst",
        severity: "error",
        description: "Use const",
        location: { path: { file: "a.ts" }, span: [8, 11], sourceCode: "let a;\n let b;" },
      },
    ],
  });
  expect(read("biome-json", biome).diagnostics).toEqual([
    { file: "a.ts", line: 2, column: 2, severity: "error", message: "Use const", rule: "lint/style/useConst" },
  ]);
  const ruff = JSON.stringify([
    { filename: "/proj/a.py", code: "F401", message: "`os` imported but unused", location: { row: 1, column: 8 } },
  ]);
  expect(read("ruff-json", ruff).diagnostics).toEqual([
    { file: "a.py", line: 1, column: 8, severity: "error", message: "`os` imported but unused", rule: "F401" },
  ]);
});

test("~TOO-029: Mocha and RSpec JSON", () => {
  const mocha = JSON.stringify({
    stats: { passes: 1, failures: 1, pending: 2, duration: 9 },
    passes: [{ title: "ok", fullTitle: "s ok" }],
    failures: [
      {
        title: "bad",
        fullTitle: "s bad",
        file: "/proj/t.js",
        err: { message: "1 == 2", stack: "at x (/proj/t.js:4:2)", expected: 2, actual: 1 },
      },
    ],
  });
  expect(read("mocha-json", mocha)).toMatchObject({
    summary: "1 passed, 1 failed, 2 skipped",
    tests: { failures: [{ name: "s bad", file: "t.js", line: 4, expected: "2", actual: "1" }] },
  });
  const rspec = JSON.stringify({
    examples: [
      { full_description: "a works", status: "passed" },
      {
        full_description: "a breaks",
        status: "failed",
        file_path: "./spec/a_spec.rb",
        line_number: 5,
        exception: { message: "\nexpected 2\n" },
      },
    ],
    summary: { duration: 0.5 },
  });
  expect(read("rspec-json", rspec)).toMatchObject({
    summary: "1 passed, 1 failed, 0 skipped",
    tests: { durationMs: 500, failures: [{ name: "a breaks", file: "spec/a_spec.rb", line: 5, message: "expected 2" }] },
  });
});

test("~TOO-029: the file:line:column convention of compilers and linters", () => {
  const text = [
    "src/a.c:3:5: warning: unused variable 'x' [-Wunused-variable]",
    "pkg/a.go:12:2: undefined: foo",
    "app/a.py:3: error: Incompatible types in assignment  [assignment]",
    "app/b.py:1:1: F401 'os' imported but unused",
    "/proj/c.py:2:9 - error: Import could not be resolved (reportMissingImports)",
    "not a place: 12: nothing",
  ].join("\n");
  expect(read("text", text).diagnostics).toMatchObject([
    { file: "src/a.c", line: 3, column: 5, severity: "warning", rule: "-Wunused-variable" },
    { file: "pkg/a.go", line: 12, column: 2, severity: "error", message: "undefined: foo" },
    { file: "app/a.py", line: 3, severity: "error", rule: "assignment" },
    { file: "app/b.py", line: 1, column: 1, severity: "error", rule: "F401" },
    { file: "c.py", line: 2, column: 9, severity: "error", rule: "reportMissingImports" },
  ]);
});

test("FMT-069: an unreadable report of a failed run is a failure with the raw output, never a pass", () => {
  for (const format of ["junit", "jest-json", "go-test-json", "eslint-json", "cargo-json"] as const) {
    expect(read(format, "Segmentation fault", 139)).toMatchObject({ verdict: "failed", raw: "raw output" });
    expect(read(format, "", 0)).toMatchObject({ verdict: "unreadable", raw: "raw output" });
  }
});

test("FMT-069: the exit code is not overruled, and no tests are called no tests", () => {
  const clean = `<testsuites><testsuite name="s"><testcase name="ok"/></testsuite></testsuites>`;
  expect(read("junit", clean, 1)).toMatchObject({ verdict: "failed", raw: "raw output" });
  expect(read("junit", clean, 0)).toMatchObject({ verdict: "passed" });
  expect(read("junit", "<testsuites/>", 0)).toMatchObject({ verdict: "no_tests" });
  expect(read("pytest", "============================ no tests ran in 0.01s ============================\n", 5)).toMatchObject({
    verdict: "failed",
  });
});

test("the format of a command that is not ours is recognised when it holds tests", () => {
  expect(read(undefined, "ok 1 - a\nnot ok 2 - b\n")).toMatchObject({ verdict: "failed", summary: "1 passed, 1 failed, 0 skipped" });
  expect(read(undefined, "all good", 0)).toMatchObject({ verdict: "passed", tests: undefined });
});

test("~TOO-029: what Vitest prints for people", () => {
  const text = ` RUN  v5.1.0 /proj

 ❯ c.test.ts (2 tests | 1 failed) 8ms
       × adds 6ms

⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  b.test.ts [ b.test.ts ]
Error: Cannot find module './gone.ts'
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  c.test.ts > outer > adds
AssertionError: expected 2 to be 3 // Object.is equality

- Expected
+ Received

- 3
+ 2

 ❯ c.test.ts:2:88
      1| import { test } from "vitest";

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/2]⎯


 Test Files  2 failed (2)
      Tests  1 failed | 2 passed | 1 skipped (4)
`;
  const report = read(undefined, text);
  expect(report).toMatchObject({
    verdict: "failed",
    summary: "2 passed, 2 failed, 1 skipped",
    tests: {
      failures: [
        { name: "test file could not be run", file: "b.test.ts", message: "Error: Cannot find module './gone.ts'" },
        {
          name: "outer > adds",
          file: "c.test.ts",
          line: 2,
          message: "AssertionError: expected 2 to be 3 // Object.is equality",
          expected: "3",
          actual: "2",
        },
      ],
    },
  });
  expect(headlines(report, 1)).toEqual(["test file could not be run: Error: Cannot find module './gone.ts' (b.test.ts)", "and 1 more"]);
});

test("~TOO-029: what Jest, Mocha and node --test print for people", () => {
  const jest = `FAIL ./sum.test.js
  ● math › adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

      at Object.toBe (sum.test.js:4:17)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
`;
  expect(read(undefined, jest)).toMatchObject({
    summary: "1 passed, 1 failed, 0 skipped",
    tests: { failures: [{ name: "math > adds", file: "sum.test.js", line: 4, expected: "3", actual: "2" }] },
  });
  const mocha = `  1 passing (5ms)
  1 failing

  1) math
       adds:

      AssertionError: 2 == 3
      at Context.<anonymous> (test/sum.js:4:12)
`;
  expect(read(undefined, mocha)).toMatchObject({
    summary: "1 passed, 1 failed, 0 skipped",
    tests: { failures: [{ name: "math > adds", file: "test/sum.js", line: 4, message: "AssertionError: 2 == 3" }] },
  });
  const node = `✔ ok (1.0ms)
✖ bad (1.1ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1
ℹ skipped 0
ℹ todo 0
ℹ duration_ms 73.2

✖ failing tests:

test at a.test.mjs:2:23
✖ bad (1.1ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
`;
  expect(read(undefined, node)).toMatchObject({
    summary: "1 passed, 1 failed, 0 skipped",
    tests: { durationMs: 73, failures: [{ name: "bad", file: "a.test.mjs", line: 2 }] },
  });
});

test("complaints of an unknown command that failed are found, of one that passed they are not looked for", () => {
  expect(read(undefined, "src/a.ts(3,5): error TS2322: wrong\n", 2)).toMatchObject({
    verdict: "failed",
    diagnostics: [{ file: "src/a.ts", line: 3, rule: "TS2322" }],
  });
  expect(read(undefined, "see src/a.ts:3:5: for details\n", 0)).toMatchObject({ verdict: "passed", diagnostics: [] });
});

test("~TOO-029: a test of node --test that took too long has failed, though it is counted as cancelled", () => {
  const said = `✔ quick (0.7ms)
✖ slow (40.9ms)
ℹ tests 2
ℹ suites 0
ℹ pass 1
ℹ fail 0
ℹ cancelled 1
ℹ skipped 0
ℹ todo 0
ℹ duration_ms 401.4

✖ failing tests:

test at a.test.mjs:3:1
✖ slow (40.9ms)
  'test timed out after 40ms'
`;
  expect(read(undefined, said)).toMatchObject({
    summary: "1 passed, 1 failed, 0 skipped",
    tests: { failures: [{ name: "slow", file: "a.test.mjs", line: 3, message: "'test timed out after 40ms'" }] },
  });
});

test("runners that a script starts one after the other all count: none seems gone once the first passes and the next one runs", () => {
  const node = "✔ emits (1.2ms)\nℹ tests 26\nℹ suites 0\nℹ pass 25\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 90.1\n";
  const jest = "PASS test/jest.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\nSnapshots:   0 total\n";
  const read = (report: string, exitCode: number) => readReport({ format: undefined, report, output: report, exitCode }).tests;
  expect(read(node, 1)).toMatchObject({ passed: 25, failed: 1 });
  expect(read(`${node.replace("pass 25", "pass 26").replace("fail 1", "fail 0")}${jest}`, 0)).toMatchObject({ passed: 27, failed: 0 });
});
