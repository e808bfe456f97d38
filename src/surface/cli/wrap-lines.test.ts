import { expect, test } from "vitest";
import { wrapLines } from "./wrap-lines.ts";

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

test("what fits, what is quoted, one long word, and a place of unknown width stay as they are", () => {
  const quoted = `  │ ${"word ".repeat(30)}`;
  const path = `  /${"x".repeat(90)}`;
  expect(wrapLines(`short\n${quoted}\n${path}`, 60)).toBe(`short\n${quoted}\n${path}`);
  expect(wrapLines(quoted.replace("│", ""), undefined)).toBe(quoted.replace("│", ""));
});
