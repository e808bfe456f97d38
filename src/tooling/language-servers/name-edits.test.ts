import { expect, test } from "vitest";
import { withRenames } from "./name-edits.ts";

const names = { from: "old", to: "fresh" };
const edit = (character: number, length: number, newText: string) => ({
  range: { start: { line: 0, character }, end: { line: 0, character: character + length } },
  newText,
});

test.each([
  { text: "old = old2", edits: [edit(0, 3, "fresh")], made: "fresh = old2" },
  { text: "({ old })", edits: [edit(3, 3, "old: fresh")], made: "({ old: fresh })" },
  { text: "({ old })", edits: [edit(3, 0, "fresh: ")], made: "({ fresh: old })" },
  { text: "import { old }", edits: [edit(9, 3, "old as fresh")], made: "import { old as fresh }" },
])("$text becomes $made", ({ text, edits, made }) => {
  expect(withRenames(text, edits, names)).toBe(made);
});

test.each([
  ["another text", [edit(0, 3, "PWNED")]],
  ["more than the name", [edit(0, 3, "fresh; run()")]],
  ["another line", [edit(0, 3, "fresh:\nold")]],
  ["another place", [edit(4, 3, "fresh")]],
  ["a part of a name", [edit(8, 3, "fresh")]],
  ["something put in", [edit(0, 0, "run()")]],
  ["the same place twice", [edit(0, 3, "fresh"), edit(0, 3, "fresh")]],
])("L1: %s is no rename", (_what, edits) => {
  expect(withRenames("old, x; older", edits, names)).toBeUndefined();
});
