import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { judgeTotals, readReports, totalsLine } from "../../scripts/testing/report.ts";
import { definedIds, idsOf, traceRequirements } from "../../scripts/testing/trace-requirements.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "sylk-trace-"));
});
afterEach(() => rmSync(root, { recursive: true }));

test("IDs are read where the spec defines them, not where it mentions them", () => {
  const text = "**AAA-001 [core] Shape.** See BBB-009 and AES-256.\n- **AAA-002 [depth]** list\n- AAA-003 plain\n| CCC-001 | row |\n";
  writeFileSync(path.join(root, "01.md"), text);
  expect([...definedIds(root)]).toEqual(["AAA-001", "AAA-002", "AAA-003", "CCC-001"]);
});

test("the product's own spec defines its requirements", () => {
  const ids = definedIds(path.join(import.meta.dirname, "../../docs/spec"));
  expect(ids.size).toBeGreaterThan(1600);
  expect(ids.has("SEC-001")).toBe(true);
  expect(ids.has("AES-256")).toBe(false);
});

test("one title may name several requirements, and only at its start", () => {
  expect(idsOf("AAA-001: one")).toEqual(["AAA-001"]);
  expect(idsOf("AAA-001 AAA-002, BBB-003: three")).toEqual(["AAA-001", "AAA-002", "BBB-003"]);
  expect(idsOf("later AAA-001: none")).toEqual([]);
  expect(idsOf("AAA-001 without a colon")).toEqual([]);
});

test("a requirement counts when a test passes and none fails; unknown IDs are reported", () => {
  const file = "x.test.ts";
  const trace = traceRequirements(new Set(["AAA-001", "AAA-002", "AAA-003", "BBB-001"]), [
    { title: "AAA-001: good", file, status: "passed" },
    { title: "AAA-002: good", file, status: "passed" },
    { title: "AAA-002: bad", file, status: "failed" },
    { title: "AAA-003: not run", file, status: "skipped" },
    { title: "ZZZ-001: invented", file, status: "passed" },
  ]);
  expect(trace).toEqual({
    prefixes: [
      { prefix: "AAA", total: 3, proven: 1, missing: ["AAA-002", "AAA-003"] },
      { prefix: "BBB", total: 1, proven: 0, missing: ["BBB-001"] },
    ],
    total: 4,
    proven: 1,
    unknown: [{ id: "ZZZ-001", title: "ZZZ-001: invented", file }],
  });
});

test("reports of both runs are joined, and a file that did not load counts as a failure", () => {
  mkdirSync(path.join(root, ".reports"));
  const suite = (name: string, status: string, tests: string[]): object => ({
    name,
    status,
    assertionResults: tests.map((s, i) => ({ title: `t${i}`, status: s })),
  });
  const write = (name: string, suites: object[]): void =>
    writeFileSync(path.join(root, ".reports", name), JSON.stringify({ testResults: suites }));
  write("tests.json", [suite("a", "passed", ["passed", "pending"]), suite("b", "failed", [])]);
  write("long.json", [suite("c", "failed", ["passed", "failed"])]);
  expect(totalsLine(readReports(root).results)).toBe("2 passed, 2 failed, 1 skipped");
  expect(judgeTotals(root).problems).toHaveLength(2);
});

test("totals are a success only when both reports are there and nothing failed", () => {
  const base = root;
  mkdirSync(path.join(base, ".reports"));
  const passing = JSON.stringify({ testResults: [{ name: "a", status: "passed", assertionResults: [{ title: "t", status: "passed" }] }] });
  expect(judgeTotals(base).problems).toEqual([
    ".reports/tests.json is missing; run npm test",
    ".reports/long.json is missing; run npm run test:long",
    "nothing passed",
  ]);
  writeFileSync(path.join(base, ".reports/tests.json"), passing);
  expect(judgeTotals(base)).toEqual({
    line: "1 passed, 0 failed, 0 skipped",
    problems: [".reports/long.json is missing; run npm run test:long"],
  });
  writeFileSync(path.join(base, ".reports/long.json"), passing);
  expect(judgeTotals(base)).toEqual({ line: "2 passed, 0 failed, 0 skipped", problems: [] });
});
