/** Whose a failure is, where the task's own first look at the checks could not tell. */
import { expect, test } from "vitest";
import type { CheckResult } from "../task-facts.ts";
import { startOf } from "../start-of-task.ts";
import { standingOf, toldAgainstStart } from "./standing.ts";

const failed = (...tests: { rule: string; path?: string }[]): CheckResult => ({
  name: "test",
  command: "pytest -q",
  passed: false,
  summary: `${tests.length} failed`,
  exit: 1,
  signature: tests.map(({ rule }) => rule).join(),
  problems: tests.map((one) => ({ ...one, severity: "error", message: "failed", test: true })),
});

test("tests that a broken collection hid at the start are not the builder's; those it is to make pass are never old", () => {
  // New test files could not be imported, and the run stopped there.
  const atStart = startOf(undefined, [failed({ rule: "tests/test_isbn.py", path: "tests/test_isbn.py" })]);
  const now = failed(
    { rule: "tests/test_eth.py::test_valid[0x7]", path: "tests/test_eth.py" },
    { rule: "tests/test_isbn.py::test_check_digit", path: "tests/test_isbn.py" },
    { rule: "tests/test_url.py::test_port", path: "tests/test_url.py" },
  );
  const created = { failing: { before: ["tests/test_eth.py::test_valid[0x7]"], wanted: ["tests/test_isbn.py"] } };
  const { old, fresh } = standingOf([now], { atStart, created });
  expect([old, fresh].map((all) => all.map(({ rule }) => rule))).toEqual([
    ["tests/test_eth.py::test_valid[0x7]"],
    ["tests/test_isbn.py::test_check_digit", "tests/test_url.py::test_port"],
  ]);
  const still = failed({ rule: "tests/test_isbn.py", path: "tests/test_isbn.py" });
  expect(standingOf([still], { atStart, created }).old).toEqual([]);
  expect(toldAgainstStart(still, { atStart, created })).toBe("");
  expect(toldAgainstStart(now, { atStart, created })).toMatch(
    /^new: tests\/test_isbn.py::test_check_digit.*the same 1 as before you began/u,
  );
  // Who was told nothing goes by its own first look.
  expect(standingOf([now], { atStart, created: {} }).old).toEqual([]);
  expect(standingOf([still], { atStart, created: {} }).old).toHaveLength(1);
});

test("two tests of one name: as many are old as failed before, one more is new", () => {
  const atStart = startOf(undefined, [failed({ rule: "works" })]);
  const created = { failing: { before: ["works"], wanted: [] } };
  expect(standingOf([failed({ rule: "works" })], { atStart: startOf(undefined, []), created }).fresh).toEqual([]);
  expect(standingOf([failed({ rule: "works" }, { rule: "works" })], { atStart: startOf(undefined, []), created }).fresh).toHaveLength(1);
  expect(standingOf([failed({ rule: "works" })], { atStart, created }).fresh).toEqual([]);
});
