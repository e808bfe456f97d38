/** How sound a part of a project is, read off real files and the reports of its own tools. */
import { utimesSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { knowledgeProject, writeIn } from "../../../test/support/knowledge-project.ts";
import { systemClock } from "../../kernel/index.ts";
import { createHealthMeter, type HealthMeter } from "./measure-health.ts";

const LIMITS = { greenfield_below: 10, legacy_below: 0.5, disciplined_from: 0.8, disciplined_coverage: 70 };
const never = new AbortController().signal;
const meter = (limits = LIMITS): HealthMeter => createHealthMeter({ clock: systemClock, limits: () => limits });

const tidy = (name: string): string =>
  `/** Does it. */\nexport function ${name}Thing(a: number): string {\n  const b = "one";\n  if (a > 1) {\n    return b;\n  }\n  return "two";\n}\n`;

/** Twelve files of one hand, below `src/good`. */
function good(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`src/good/some-file-${"abcdefghijkl"[i]}.ts`, tidy(`do${i}`)]));
}

/** Twelve files of twelve hands, below `src/bad`: indents, quotes, semicolons and names all differ. */
function bad(): Record<string, string> {
  const hands = [
    (i: number) => [`src/bad/oneFile${i}.ts`, `export function do_it_${i}(a) {\n\tconst b = 'one'\n\treturn b\n}\n`],
    (i: number) => [`src/bad/two-file-${i}.ts`, `export function doIt${i}(a: number) {\n  const b = "one";\n  return b;\n}\n`],
    (i: number) => [`src/bad/three_file_${i}.ts`, `export function DoIt${i}(a: any) {\n   const b = 'one';\n   return b as any;\n}\n`],
    (i: number) => [
      `src/bad/FourFile${i}.ts`,
      `export function do_That${i}(a) {\n    const b = "one"\n    return b // TODO: look again\n}\n`,
    ],
  ];
  return Object.fromEntries(Array.from({ length: 12 }, (_, i) => (hands[i % 4] as (typeof hands)[number])(i)));
}

/** Of ten lines those that ran: so many, from the first one or a later. */
const lcov = (files: readonly string[], ran: number, from = 0): string =>
  files
    .map(
      (file) =>
        `SF:${file}\n${Array.from({ length: 10 }, (_, i) => `DA:${i + 1},${i >= from && i < from + ran ? 1 : 0}`).join("\n")}\nend_of_record`,
    )
    .join("\n");

test("AGT-052: new, of one hand with tests, of one hand without, of many hands: each has its level and its advice; the marks between them are settings", async () => {
  const { root } = knowledgeProject({ ...good(), ...bad() });
  const of = async (area: string, limits = LIMITS) => {
    const { maturity, recommendation } = await meter(limits).measure(root, area, never);
    return [maturity, recommendation];
  };
  const { root: small } = knowledgeProject({ "src/new/a.ts": tidy("first") });
  const fresh = await meter().measure(small, "src/new", never);
  expect([fresh.maturity, fresh.recommendation]).toEqual(["GREENFIELD", "there are no patterns yet: set them with the user's approval"]);
  expect(await of("src/good")).toEqual(["TRANSITIONAL", "follow the newer patterns and do not spread the old ones"]);
  expect(await of("src/bad")).toEqual(["LEGACY", "isolate changes and do not spread its patterns"]);
  writeIn(root, "coverage/lcov.info", lcov(Object.keys(good()), 8));
  expect(await of("src/good")).toEqual(["DISCIPLINED", "follow the existing patterns strictly"]);
  writeIn(root, "coverage/lcov.info", lcov(Object.keys(good()), 6));
  expect((await of("src/good"))[0]).toBe("TRANSITIONAL");
  expect((await of("src/good", { ...LIMITS, disciplined_coverage: 60 }))[0]).toBe("DISCIPLINED");
  expect((await of("src/good", { ...LIMITS, greenfield_below: 25 }))[0]).toBe("GREENFIELD");
  expect((await of("src/bad", { ...LIMITS, legacy_below: 0.1 }))[0]).toBe("TRANSITIONAL");
});

test("AGT-053: agreement of patterns, coverage with its parts, debt, looseness of types and documentation are counted; a change is seen at once", async () => {
  const { root } = knowledgeProject({
    ...good(),
    ...bad(),
    "tsconfig.json": '{ "compilerOptions": { "strict": true } }',
    "src/good/README.md": "# Good\n",
    "src/good/a.test.ts": 'import { test } from "vitest";\n// FIXME: one more\ntest("a", () => {});\n',
    "src/good/integration/b.test.ts": 'import { test } from "vitest";\ntest("b", () => {});\n',
    "src/good/loose.ts": "// HACK\nexport const loose = (a: unknown): any => a as any;\nexport const any = 1; // any of these\n",
  });
  const files = Object.keys(good());
  writeIn(root, "coverage/unit/lcov.info", lcov(files, 4));
  writeIn(root, "coverage/integration/lcov.info", lcov(files, 7, 2));
  const measure = meter();
  const health = await measure.measure(root, "src/good", never);
  expect(health).toMatchObject({ area: "src/good", pattern_confidence: 1, test_coverage: 90, debt_markers: 2 });
  expect(health.indicators).toEqual({
    source_files: 13,
    read_files: 15,
    test_files: { unit: 1, integration: 1 },
    coverage: { unit: 40, integration: 70, from: ["coverage/unit/lcov.info", "coverage/integration/lcov.info"], is_old: false },
    type_safety: { is_strict: true, any: 2, unknown: 1 },
    documentation: { documented: 1, has_readme: true },
  });
  const poor = await measure.measure(root, "src/bad", never);
  expect(poor.pattern_confidence).toBeLessThan(0.5);
  expect(poor).toMatchObject({ test_coverage: null, debt_markers: 3 });
  expect(poor.indicators).toMatchObject({ coverage: null, type_safety: { any: 6 }, documentation: { documented: 0, has_readme: false } });
  writeIn(root, "src/good/some-file-a.ts", `// TODO\n${tidy("do0")}`);
  utimesSync(path.join(root, "src/good/some-file-a.ts"), new Date(), new Date(Date.now() + 60_000));
  const later = await measure.measure(root, "src/good", never);
  expect([later.debt_markers, later.indicators.coverage?.is_old]).toEqual([3, true]);
});

test("~AGT-053: coverage is read from what each kind of tool leaves behind", async () => {
  const text = (lines: number): string => "x\n".repeat(lines);
  const reports: [string, string][] = [
    [
      "coverage/coverage-final.json",
      JSON.stringify({
        "/a": { path: "ROOT/src/a.js", statementMap: { 0: { start: { line: 1 } }, 1: { start: { line: 2 } } }, s: { 0: 3, 1: 0 } },
      }),
    ],
    ["coverage.json", JSON.stringify({ files: { "src/a.js": { executed_lines: [1], missing_lines: [2] } } })],
    [
      "coverage.xml",
      '<?xml version="1.0"?><coverage><packages><package><classes><class filename="src/a.js"><lines><line number="1" hits="1"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>',
    ],
    ["cover.out", "mode: set\nexample.org/mod/src/a.js:1.1,1.9 1 1\nexample.org/mod/src/a.js:2.1,2.9 1 0\n"],
  ];
  for (const [file, report] of reports) {
    const { root } = knowledgeProject({ "src/a.js": text(2) });
    writeIn(root, file, report.replaceAll("ROOT", root));
    const { test_coverage: percent, indicators } = await meter().measure(root, ".", never);
    expect([file, percent, indicators.coverage?.from]).toEqual([file, 50, [file]]);
  }
  const { root } = knowledgeProject({ "src/a.js": text(2), "coverage.json": "{ half" });
  expect((await meter().measure(root, ".", never)).test_coverage).toBeNull();
});

test("AGT-054: one line holds area, maturity, patterns, coverage, debt and advice; where patterns cannot be relied on it is said to look first", async () => {
  const { root } = knowledgeProject({ ...good(), ...bad() });
  const measure = meter();
  expect(await measure.measure(root, "src/good", never)).toMatchObject({
    summary:
      "src/good: TRANSITIONAL, patterns 1.00, coverage unknown, 0 debt markers; follow the newer patterns and do not spread the old ones",
  });
  expect((await measure.measure(root, "src/good", never)).warning).toBeUndefined();
  const poor = await measure.measure(root, "src/bad", never);
  expect(poor.summary).toMatch(/^src\/bad: LEGACY, patterns 0\.[1-4]\d, coverage unknown, 3 debt markers; isolate changes/u);
  expect(poor.warning).toBe("low confidence: look at the patterns by hand before you build on them");
  // Few files are no legacy, and still nothing to rely on.
  const few = await meter({ ...LIMITS, greenfield_below: 100 }).measure(root, "src/bad", never);
  expect([few.maturity, few.warning]).toEqual(["GREENFIELD", poor.warning]);
});

test("~AGT-052: a folder that holds only tests is judged by them; beside source they do not count", async () => {
  const tests = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`test/part-${i}.test.ts`, `export function check${i}(): string {\n  return "one";\n}\n`]),
  );
  const { root } = knowledgeProject({ ...tests, "src/new/a.ts": tidy("first") });
  const { maturity, pattern_confidence: patterns, indicators } = await meter().measure(root, "test", never);
  expect([maturity, patterns, indicators.source_files, indicators.test_files.unit]).toEqual(["TRANSITIONAL", 1, 0, 12]);
  expect((await meter().measure(root, ".", never)).maturity).toBe("GREENFIELD");
});

test("~AGT-052: a small or empty folder in a project that has patterns is not new: the nearest folder around it that is large enough says what holds there, and what is counted stays its own", async () => {
  const { root } = knowledgeProject({
    ...good(),
    ...bad(),
    "src/good/deep/new/a.ts": `// TODO: more\n${tidy("first")}`,
    "src/bad/new/a.ts": tidy("second"),
    "tools/new/.keep": "",
  });
  const of = (area: string) => meter().measure(root, area, never);
  const good13 = await of("src/good");
  expect(await of("src/good/deep/new")).toMatchObject({
    maturity: "TRANSITIONAL",
    as_in: "src/good",
    pattern_confidence: good13.pattern_confidence,
    debt_markers: 1,
    indicators: { source_files: 1 },
    summary:
      "src/good/deep/new: TRANSITIONAL as src/good, patterns 1.00, coverage unknown, 1 debt marker; follow the newer patterns and do not spread the old ones",
  });
  const poor = await of("src/bad/new");
  expect([poor.maturity, poor.as_in, poor.warning]).toEqual(["LEGACY", "src/bad", (await of("src/bad")).warning]);
  const empty = await of("tools/new");
  expect([empty.as_in, empty.maturity, empty.summary]).toEqual([
    ".",
    (await of(".")).maturity,
    expect.stringMatching(/^tools\/new: [A-Z]+ as the project, /u),
  ]);
  expect(good13.as_in).toBeUndefined();
});
