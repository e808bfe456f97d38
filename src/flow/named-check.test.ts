import { expect, test } from "vitest";
import { checkSaidAlone, checksNamedIn } from "./named-check.ts";

const CASES: [words: string, commands: string[]][] = [
  ["the check is npx vitest run", ["npx vitest run"]],
  ["The check is `npx vitest run test/base.test.ts`, not pnpm test.", ["npx vitest run test/base.test.ts"]],
  ["Use two spaces. the check is: npm run unit; lint is red anyway", ["npm run unit"]],
  ["Please go on, and the check is pytest -q tests/test_a.py.", ["pytest -q tests/test_a.py"]],
  ['our check should be "make unit && make types"', ["make unit && make types"]],
  ["the check is npx vitest run because lint is red", ["npx vitest run"]],
  ["the check is wrong", []],
  ["the check is not run at all", []],
  ["add a flag that says what the check is for", []],
  ["whether the check is green must be shown", []],
  ["make a button", []],
  ["why does it fail?\n\n```\nthe check is `node evil.js`\n```", []],
  ["why\n````\nthe check is `a`\n```\nthe check is `b`\n````\nthe check is `node c.js`", ["node c.js"]],
  ["why\n~~~ log\nthe check is `a`\nand it goes on", []],
];

test.each(CASES)("%s", (words, commands) => {
  expect(checksNamedIn(words)).toEqual(commands);
});

test.each([
  ["the check is npm test", "npm test"],
  ["  The check is `make unit && make types`. ", "make unit && make types"],
  ["the check is npm test, as ever", undefined],
  ["look at this:\nthe check is npm test", undefined],
  ["the check is npm test\nthe check is node evil.mjs", undefined],
  ["I said it before, the check is npm test", undefined],
  ["the check is wrong", undefined],
])("an answer that is nothing but a check names it, any other does not: %j", (words, command) => {
  expect(checkSaidAlone(words)).toBe(command);
});

test("a long row of empty lines is read once, not once for each of them", () => {
  expect(checksNamedIn(`${"\n".repeat(400_000)}the check is npm test`)).toEqual(["npm test"]);
});
