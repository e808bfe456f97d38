import { expect, test } from "vitest";
import { cutLine, wrapLines } from "./wrap-lines.ts";

test("a long line is broken between words and goes on below its text; colours take no room", () => {
  const row = "nktdxhaw  2026-11-16 12:05  paused              step  0/15  openai/gpt-5  make the tests pass";
  expect(wrapLines(row, 60).split("\n")).toEqual([
    "nktdxhaw  2026-11-16 12:05  paused              step  0/15",
    "          openai/gpt-5  make the tests pass",
  ]);
  const red = "\u001b[31mnot found\u001b[39m";
  expect(wrapLines(`  ✓ git   ${red} on this machine, which needs it for trees`, 40).split("\n")).toEqual([
    `  ✓ git   ${red} on this machine,`,
    "          which needs it for trees",
  ]);
});

test("without a gap, or with one too far to the right, it goes on a little to the right of its beginning; what just fits is not broken", () => {
  expect(wrapLines("  one two three four five six seven", 20).split("\n")).toEqual(["  one two three four", "    five six seven"]);
  expect(wrapLines("  one two three  four five six seven", 22).split("\n")).toEqual(["  one two three  four", "    five six seven"]);
  expect(wrapLines("one two three four five", 19)).toBe("one two three four five");
});

test("what fits, one long word, and a place of unknown width stay as they are", () => {
  const long = `  ${"word ".repeat(30)}`;
  const path = `  /${"x".repeat(90)}`;
  expect(wrapLines(`short\n${path}`, 60)).toBe(`short\n${path}`);
  expect(wrapLines(long, undefined)).toBe(long);
});

test("what is quoted behind a bar goes on behind another, one long word too; colours stay, and take no room", () => {
  expect(wrapLines(`  │ one two three four five\n  │ ${"x".repeat(40)} y`, 22).split("\n")).toEqual([
    "  │ one two three four",
    "  ┆ five",
    `  │ ${"x".repeat(18)}`,
    `  ┆ ${"x".repeat(18)}`,
    "  ┆ xxxx y",
  ]);
  expect(wrapLines("  │ \u001b[32m+one two three four\u001b[39m", 20).split("\n")).toEqual([
    "  │ \u001b[32m+one two three",
    "  ┆ four\u001b[39m",
  ]);
});

test.each([
  ["letters that take two columns", "漢".repeat(30)],
  ["pictures", "🙂".repeat(30)],
  ["tabs", `a${"\tb".repeat(30)}`],
  ["blanks that are none", `x${"\u2800y".repeat(60)}`],
])("no line of what is quoted is wider than the terminal: %s", (_name, text) => {
  const widest = (line: string): number => line.replaceAll("\t", " ".repeat(8)).replaceAll(/[漢🙂]/gu, "xx").length;
  const lines = wrapLines(`  │ ${text}`, 40).split("\n");
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.filter((line) => widest(line) > 40 || !/^ {2}[│┆] /u.test(line))).toEqual([]);
});

test("a line that is cut holds as much as fits and a mark; colours stay, and letters that take two columns count as two", () => {
  expect(cutLine("\u001b[2mone two three\u001b[22m", 8)).toBe("\u001b[2mone two…\u001b[22m");
  expect(cutLine("one two", 7)).toBe("one two");
  expect(cutLine("漢漢漢漢漢", 8)).toBe("漢漢漢…");
});
