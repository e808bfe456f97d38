import { expect, test } from "vitest";
import { changedSymbols } from "./changed-symbols.ts";

const CODE = `export const loud = (text) => {
  const end = "!";
  return text + end;
};

export class Words {
  first() {
    return 1;
  }

  last() {
    return 2;
  }
}
`;

test.each([
  ["a line of a function", "words.js", CODE.replace(`"!"`, `"?"`), ["loud"]],
  ["a method, and what holds it is the same", "words.js", CODE.replace("return 2", "return 3"), ["Words.last"]],
  ["a new method", "words.js", CODE.replace("  last()", "  more() {}\n\n  last()"), ["Words.more"]],
  ["what a class is", "words.js", CODE.replace("class Words", "class Words extends Array"), ["Words"]],
  ["its form alone", "words.js", CODE.replace("  return 1;", "return 1;"), []],
  ["a text of which no grammar is known", "words.txt", `${CODE}more`, []],
  ["everything, when the file is new or gone", "words.js", "", ["loud", "Words", "Words.first", "Words.last"]],
])("which definitions differ: %s", async (_what, file, after, expected) => {
  expect(await changedSymbols(file, CODE, after)).toEqual(expected);
});

test("other languages: functions and methods of Python, Go and TypeScript by name", async () => {
  const python = "class A:\n    def x(self):\n        return 1\n\n    def y(self):\n        return 2\n";
  expect(await changedSymbols("a.py", python, python.replace("return 2", "return 3"))).toEqual(["A.y"]);
  const go = "package a\n\nfunc X() int { return 1 }\n\nfunc Y() int { return 2 }\n";
  expect(await changedSymbols("a.go", go, go.replace("return 2", "return 3"))).toEqual(["Y"]);
  const ts = "export function x(): number { return 1; }\nexport interface Y { a: string }\n";
  expect(await changedSymbols("a.ts", ts, ts.replace("string", "number"))).toEqual(["Y"]);
});
