import { expect, test } from "vitest";
import { grammarFor } from "../../code/index.ts";
import { readSymbols } from "./read-symbols.ts";

test.each([".mjs", ".ts", ".jsx"])("D15: a function that is a constant counts as a function in %s, so the map shows it", async (ending) => {
  const text = "export const foo = (x) => x + 1;\nconst inner = async function () {};\nexport const bar = 3;\nexport function baz() {}\n";
  const { symbols } = await readSymbols(grammarFor(ending), text, text.split("\n"));
  expect(symbols.map(({ name, kind }) => `${kind} ${name}`)).toEqual(["function foo", "function inner", "variable bar", "function baz"]);
});
