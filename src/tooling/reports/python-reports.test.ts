/** What pytest and unittest print, read. */
import { expect, test } from "vitest";
import type { ReportFormat } from "../discover/types.ts";
import { readReport, type ToolReport } from "./read-report.ts";

const read = (format: ReportFormat | undefined, report: string, exitCode = 1): ToolReport =>
  readReport({ format, report, exitCode, output: "raw output", root: "/proj" });

test("~TOO-029: pytest and unittest text", () => {
  const pytest = `=================================== FAILURES ===================================
_________________________________ test_par[2] __________________________________

    def test_par(n): assert n == 1
E   assert 2 == 1

test_a.py:7: AssertionError
=========================== short test summary info ============================
FAILED test_a.py::test_par[2] - assert 2 == 1
==================== 1 failed, 2 passed, 1 skipped in 0.88s ====================
`;
  expect(read("pytest", pytest)).toMatchObject({
    summary: "2 passed, 1 failed, 1 skipped",
    tests: { durationMs: 880, failures: [{ name: "test_a.py::test_par[2]", file: "test_a.py", line: 7, message: "assert 2 == 1" }] },
  });
  const broken = `==================================== ERRORS ====================================
_______________________ ERROR collecting test_broken.py ________________________
test_broken.py:1: in <module>
    import nope
E   ModuleNotFoundError: No module named 'nope'
=========================== short test summary info ============================
ERROR test_broken.py
=============================== 1 error in 0.62s ===============================
`;
  expect(read("pytest", broken)).toMatchObject({
    summary: "0 passed, 1 failed, 0 skipped",
    tests: { failures: [{ name: "test_broken.py", line: 1, message: "ModuleNotFoundError: No module named 'nope'" }] },
  });
  const unittest = `F.s
======================================================================
FAIL: test_bad (mod.A.test_bad)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/proj/ut.py", line 4, in test_bad
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 3 tests in 0.012s

FAILED (failures=1, skipped=1)
`;
  expect(read("pytest", unittest)).toMatchObject({
    summary: "1 passed, 1 failed, 1 skipped",
    tests: { durationMs: 12, failures: [{ name: "mod.A.test_bad", file: "ut.py", line: 4, message: "AssertionError: 1 != 2" }] },
  });
});

test("~TOO-029: pytest -q: its last line has no frame; each case of a test is told by its own part, without the test's source", () => {
  const output = `..FF
=================================== FAILURES ===================================
_____________________ test_word[args30-1.0 googol] _____________________

args = [1], expected = '1.0 googol'

    @pytest.mark.parametrize("args, expected", [([1], "1.0 googol")])
    def test_word(args, expected):
>       assert word(*args) == expected
E       AssertionError: assert '1' == '1.0 googol'

tests/test_number.py:136: AssertionError
_____________________ test_word[args31-2.0 googol] _____________________

>       assert word(*args) == expected
E       AssertionError: assert '2' == '2.0 googol'

tests/test_number.py:136: AssertionError
=========================== short test summary info ============================
FAILED tests/test_number.py::test_word[args30-1.0 googol] - AssertionError: assert '1' == '1.0 googol'
FAILED tests/test_number.py::test_word[args31-2.0 googol] - AssertionError: assert '2' == '2.0 googol'
2 failed, 2 passed, 570 deselected, 6 subtests passed in 0.66s
`;
  const { summary, tests } = read("pytest", output);
  expect(summary).toBe("2 passed, 2 failed, 0 skipped");
  expect(tests?.failures.map(({ name, line, stack }) => ({ name, line, stack }))).toEqual([
    {
      name: "tests/test_number.py::test_word[args30-1.0 googol]",
      line: 136,
      stack:
        ">       assert word(*args) == expected\nE       AssertionError: assert '1' == '1.0 googol'\ntests/test_number.py:136: AssertionError",
    },
    {
      name: "tests/test_number.py::test_word[args31-2.0 googol]",
      line: 136,
      stack:
        ">       assert word(*args) == expected\nE       AssertionError: assert '2' == '2.0 googol'\ntests/test_number.py:136: AssertionError",
    },
  ]);
});

test("~TOO-029: unittest: a failure is the test's own, whatever raised further down; each part of a test is told", () => {
  const told = `.EFF.
======================================================================
ERROR: test_reads (tests.test_entry.EntryTest.test_reads)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/proj/tests/test_entry.py", line 9, in test_reads
    parse("x")
  File "/proj/hours/entry.py", line 26, in parse
    raise ValueError("expected an end")
ValueError: expected an end

======================================================================
FAIL: test_spans (tests.test_entry.EntryTest.test_spans) [23:59-00:01]
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/proj/tests/test_entry.py", line 14, in test_spans
    self.assertEqual(1, 2)
AssertionError: 1 != 2

======================================================================
FAIL: test_spans (tests.test_entry.EntryTest.test_spans) (span='00:00')
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/proj/tests/test_entry.py", line 14, in test_spans
    self.assertEqual(1, 3)
AssertionError: 1 != 3

----------------------------------------------------------------------
Ran 4 tests in 0.012s

FAILED (failures=2, errors=1)
`;
  expect(read("pytest", told)).toMatchObject({
    summary: "2 passed, 3 failed, 0 skipped",
    tests: {
      failures: [
        { name: "tests.test_entry.EntryTest.test_reads", file: "tests/test_entry.py", line: 9, message: "ValueError: expected an end" },
        { name: "tests.test_entry.EntryTest.test_spans [23:59-00:01]", line: 14 },
        { name: "tests.test_entry.EntryTest.test_spans (span='00:00')", line: 14, message: "AssertionError: 1 != 3" },
      ],
    },
  });
});

test("a file that pytest could not collect and names twice is one failure", () => {
  const section = (file: string): string =>
    `___ ERROR collecting ${file} ___\n${file}:8: in <module>\n    from validators import isbn\nE   ImportError: cannot import name 'isbn'\n`;
  const files = ["tests/test_isbn.py", "tests/test_issn.py"].flatMap((file) => [file, file]);
  const text = `==== ERRORS ====\n${files.map(section).join("")}==== short test summary info ====\n${files.map((file) => `ERROR ${file}\n`).join("")}!!!! Interrupted: 4 errors during collection !!!!\n4 errors in 2.83s\n`;
  const { summary, tests } = read("pytest", text, 2);
  expect([summary, tests?.failures.map(({ name, line }) => `${name}:${line ?? ""}`)]).toEqual([
    "0 passed, 2 failed, 0 skipped",
    ["tests/test_isbn.py:8", "tests/test_issn.py:8"],
  ]);
});
