import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { judgeTotals, readReports, totalsLine, type TestResult } from "../../scripts/testing/report.ts";
import { readOtherwise, readRequirements, readUserSees, type Otherwise } from "../../scripts/testing/spec-files.ts";
import { claimsOf, traceRequirements, type Trace } from "../../scripts/testing/trace-requirements.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "sylk-trace-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const NONE: Otherwise = { satisfied: [], planned: [] };
const passing = (title: string, file = "src/x.test.ts", groups: string[] = []): TestResult => ({ title, groups, file, status: "passed" });
const trace = (ids: string[], results: TestResult[], given: { otherwise?: Otherwise; seen?: string[] } = {}): Trace =>
  traceRequirements({ defined: new Set(ids), results, otherwise: given.otherwise ?? NONE, seen: new Set(given.seen) });

test("IDs are read where the spec defines them, not where it mentions them, with the text up to the next", () => {
  const text =
    "**AAA-001 [core] Shape.** See BBB-009 and AES-256.\nmore\n# Part\nloose\n- **AAA-002 [depth]** list\n- AAA-003 plain\n| CCC-001 | row |\n";
  writeFileSync(path.join(root, "01.md"), text);
  const read = readRequirements(root);
  expect([...read.keys()]).toEqual(["AAA-001", "AAA-002", "AAA-003", "CCC-001"]);
  expect(read.get("AAA-001")).toBe("**AAA-001 [core] Shape.** See BBB-009 and AES-256.\nmore\n");
});

test("the product's own spec, what a user must see and what is satisfied otherwise can be read and fit together", () => {
  const spec = path.join(import.meta.dirname, "../../docs/spec");
  const requirements = readRequirements(spec);
  expect(requirements.size).toBeGreaterThan(1600);
  expect(requirements.has("AES-256")).toBe(false);
  const seen = readUserSees(spec, requirements);
  expect(seen).toContain("ERR-013");
  expect(seen).not.toContain("SES-034");
  const otherwise = readOtherwise(spec);
  const results = otherwise.satisfied.flatMap((group) => group.tests).map((title) => passing(title));
  const { problems, counts } = traceRequirements({ defined: new Set(requirements.keys()), results, otherwise, seen });
  expect(problems).toEqual([]);
  expect(counts.otherwise).toBe(otherwise.satisfied.flatMap((group) => group.ids).length);
});

test("one title may claim several requirements, in part or whole, and only at its start", () => {
  expect(claimsOf("AAA-001: one")).toEqual([{ id: "AAA-001", part: false }]);
  expect(claimsOf("AAA-001 ~AAA-002, BBB-003: three").map(({ id, part }) => `${id} ${part}`)).toEqual([
    "AAA-001 false",
    "AAA-002 true",
    "BBB-003 false",
  ]);
  expect(claimsOf("H7 ~AAA-001, L12: a finding's code claims nothing")).toEqual([{ id: "AAA-001", part: true }]);
  expect(claimsOf("H7: a finding's code alone")).toEqual([]);
  expect(claimsOf("later AAA-001: none")).toEqual([]);
  expect(claimsOf("AAA-001 without a colon")).toEqual([]);
});

test("a requirement is proved by a passing test of all of it, touched by tests of parts, and open when one that names it fails", () => {
  const file = "src/x.test.ts";
  const { prefixes, counts, total, problems } = trace(
    ["AAA-001", "AAA-002", "AAA-003", "AAA-004", "BBB-001"],
    [
      passing("AAA-001: whole"),
      passing("~AAA-001: a part as well"),
      { title: "AAA-002: whole", groups: [], file, status: "failed" },
      passing("AAA-002: whole"),
      { title: "AAA-003: not run", groups: [], file, status: "skipped" },
      passing("~AAA-004: a part"),
      passing("says nothing itself", file, ["BBB-001: together"]),
      passing("ZZZ-001: invented"),
    ],
  );
  expect(prefixes).toEqual([
    { prefix: "AAA", total: 4, proved: ["AAA-001"], touched: ["AAA-004"], otherwise: [], open: ["AAA-002", "AAA-003"] },
    { prefix: "BBB", total: 1, proved: ["BBB-001"], touched: [], otherwise: [], open: [] },
  ]);
  expect({ counts, total }).toEqual({ counts: { proved: 2, touched: 1, otherwise: 0, open: 2 }, total: 5 });
  expect(problems).toEqual(['unknown requirement ZZZ-001 in "ZZZ-001: invented" (x.test.ts)']);
});

test("what a user must see is proved where a user could see it; elsewhere it is touched", () => {
  const seen = ["AAA-001", "AAA-002", "AAA-003", "AAA-004"];
  const folders = ["src/model", "test/surface", "test/flow", "test/hostile/terminal"];
  const results = folders.map((folder, i) => passing(`AAA-00${i + 1}: shown`, `/home/x/${folder}/y.test.ts`));
  const [row] = trace([...seen, "AAA-005"], [...results, passing("AAA-005: not a matter of seeing")], { seen }).prefixes;
  expect(row).toMatchObject({ proved: ["AAA-002", "AAA-003", "AAA-004", "AAA-005"], touched: ["AAA-001"] });
});

test("phrases find what a user must see; lists add what they miss and take out what they find wrongly", () => {
  const text = "AAA-001 the user\n  sees it\nAAA-002 nothing\nAAA-003 the user sees it in the wrong sense\nAAA-004 nothing\n";
  writeFileSync(path.join(root, "01.md"), text);
  writeFileSync(
    path.join(root, "user-sees.yaml"),
    "phrases: [user sees]\nalso: [AAA-004]\nexcept:\n  AAA-003: it is about something else\n",
  );
  expect([...readUserSees(root, readRequirements(root))].sort()).toEqual(["AAA-001", "AAA-004"]);
  expect(trace(["AAA-001"], [], { seen: ["AAA-009"] }).problems).toEqual(["user-sees.yaml names AAA-009, which the spec does not define"]);
});

test("what is satisfied otherwise counts apart, what is planned stays open, and neither may contradict the tests", () => {
  const reason = "because of something else";
  const satisfied = [{ name: "s", reason, laws: [], tests: ["it holds"], ids: ["AAA-001", "AAA-002", "AAA-009"] }];
  const planned = [{ name: "p", reason, instead: "something simpler", ids: ["AAA-002", "AAA-003", "AAA-004"] }];
  const good = trace(["AAA-001", "AAA-002", "AAA-003"], [passing("~AAA-001 CCC-001: it holds")], {
    otherwise: { satisfied: [{ ...satisfied[0]!, ids: ["AAA-001"] }], planned: [{ ...planned[0]!, ids: ["AAA-002"] }] },
  });
  expect(good).toMatchObject({ counts: { otherwise: 1, open: 2, touched: 0 }, planned: 1 });
  const bad = trace(["AAA-001", "AAA-002", "AAA-003", "AAA-004"], [passing("AAA-001: proved"), passing("AAA-004: proved")], {
    otherwise: { satisfied, planned },
  });
  expect(bad.problems).toEqual([
    "otherwise.yaml names AAA-001 (s), which a test proves: take it out of one of them",
    "otherwise.yaml names AAA-009 (s), which the spec does not define",
    "otherwise.yaml names AAA-002 twice (s, p)",
    "otherwise.yaml names AAA-004 (p), which a test proves: take it out of one of them",
    'otherwise.yaml (s) rests on a test that did not pass or is gone: "it holds"',
  ]);
});

test.each([
  ["no reason", "satisfied: [{ name: a, laws: [1], ids: [AAA-001] }]\nplanned: []\n", "reason"],
  ["nothing to look at", "satisfied: [{ name: a, reason: it is reached another way, ids: [AAA-001] }]\nplanned: []\n", "law or a test"],
  ["nothing simpler", "satisfied: []\nplanned: [{ name: a, reason: it is too much for that, ids: [AAA-001] }]\n", "instead"],
  ["a range", "satisfied: [{ name: a, reason: it is reached another way, laws: [1], ids: [AAA-001–005] }]\nplanned: []\n", "ids"],
])("an entry that is satisfied otherwise is refused with %s", (_, text, said) => {
  writeFileSync(path.join(root, "otherwise.yaml"), text);
  expect(() => readOtherwise(root)).toThrow(said);
});

test("the script prints the four counts, and its exit code tells about a contradiction", () => {
  const product = path.join(import.meta.dirname, "../..");
  for (const name of ["scripts", "docs/spec"]) cpSync(path.join(product, name), path.join(root, name), { recursive: true });
  symlinkSync(path.join(product, "node_modules"), path.join(root, "node_modules"));
  mkdirSync(path.join(root, ".reports"));
  const held = readOtherwise(path.join(product, "docs/spec")).satisfied.flatMap((group) => group.tests);
  const run = (titles: string[]): SpawnSyncReturns<string> => {
    const assertionResults = titles.map((title) => ({ title, ancestorTitles: [], status: "passed" }));
    writeFileSync(
      path.join(root, ".reports/tests.json"),
      JSON.stringify({ testResults: [{ name: "a", status: "passed", assertionResults }] }),
    );
    return spawnSync(process.execPath, [path.join(root, "scripts/trace.ts")], { encoding: "utf8" });
  };
  const good = run([...held, "SEC-011: whole", "~SEC-012: a part"]);
  expect(good.stderr).toBe("");
  expect(good.stdout).toMatch(/^SEC +1 +1 +1 +38 +41$/m);
  expect(good.status).toBe(0);
  const bad = run([...held, "SEC-035: both ways"]);
  expect(bad.stderr).toContain("SEC-035");
  expect(bad.status).toBe(1);
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
