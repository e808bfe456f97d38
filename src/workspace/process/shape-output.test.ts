import fc from "fast-check";
import { expect, test } from "vitest";
import { createOutputShaper, type ShapedOutput } from "./shape-output.ts";

const rules = { keepFirstLines: 50, keepLastLines: 100, maxImportantLines: 200, maxLineChars: 500 };

function shape(lines: readonly string[]): ShapedOutput {
  const shaper = createOutputShaper(rules);
  for (const line of lines) shaper.push("stdout", line);
  return shaper.finish({ totalBytes: 0, spillPath: undefined, redact: (text) => text });
}

const numbered = (n: number): string[] => Array.from({ length: n }, (_, i) => `line ${i + 1}`);

test("TOO-027 TOO-028: up to 150 lines nothing is lost or repeated", () => {
  for (const n of [0, 1, 40, 50, 51, 80, 100, 101, 120, 150]) {
    const shaped = shape(numbered(n));
    expect(shaped).toMatchObject({ text: numbered(n).join("\n"), truncated: false, omittedLines: 0, totalLines: n });
  }
});

test("TOO-027 TOO-028: the first line left out is marked, at 151 and at 100,000", () => {
  expect(shape(numbered(151)).text.split("\n")).toEqual([...numbered(50), "… 1 lines omitted …", ...numbered(151).slice(51)]);
  const many = shape(numbered(100_000));
  expect(many).toMatchObject({ truncated: true, omittedLines: 99_850, totalLines: 100_000, summary: "100000 lines" });
  expect(many.text.split("\n")).toHaveLength(151);
});

test("~TOO-024 TOO-028: trouble in the middle is kept in place, counted over all lines and bounded", () => {
  const lines = numbered(1_000);
  lines[3] = "error: early";
  lines[500] = "src/a.ts:12:5 - error TS2322: wrong";
  lines[501] = "    at run (src/a.ts:12:5)";
  lines[600] = "warning: careful";
  lines[700] = "0 errors, 0 warnings";
  lines[990] = "2 tests failed";
  const shaped = shape(lines);
  expect(shaped.important.map((line) => line.number)).toEqual([501, 502, 601]);
  expect(shaped).toMatchObject({ errorLines: 3, warningLines: 1, summary: "3 error lines, 1 warning lines, 1000 lines" });
  const noisy = shape(numbered(5_000).map((line) => `error ${line}`));
  expect(noisy.important).toHaveLength(200);
  expect(noisy.errorLines).toBe(5_000);
});

test("TOO-028: whatever the output, shown lines and stated gaps add up to all of it", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("plain", "error: x", "warning", "", "  at f (a.js:1:2)"), { maxLength: 700 }), (lines) => {
      const shaped = shape(lines);
      const shown = shaped.text === "" && lines.length === 0 ? [] : shaped.text.split("\n");
      const gaps = shown.map((line) => /^… (\d+) lines omitted …$/u.exec(line)?.[1]).filter((n) => n !== undefined);
      expect(shown.length - gaps.length + gaps.reduce((sum, n) => sum + Number(n), 0)).toBe(lines.length);
    }),
  );
});

test("a cut line counts as truncated", () => {
  const shaped = shape(["x".repeat(600)]);
  expect(shaped.truncated).toBe(true);
  expect(shaped.text).toBe(`${"x".repeat(500)} … [100 more characters]`);
});

test("20: the name of a test that passed is no error, whatever words are in it", () => {
  const shaper = createOutputShaper({ keepFirstLines: 1, keepLastLines: 1, maxImportantLines: 10, maxLineChars: 200 });
  for (const line of ["begin", "ok 1 - an error is told", "✔ failed requests are tried again", "not ok 2 - adds", "end"])
    shaper.push("stdout", line);
  const shaped = shaper.finish({ totalBytes: 0, spillPath: undefined, redact: (text) => text });
  expect([shaped.errorLines, shaped.important.map(({ text }) => text)]).toEqual([1, ["not ok 2 - adds"]]);
});
