import { expect, test } from "vitest";
import { linesOf } from "./lines-of.ts";

test("lines are counted as editors do: a line end closes a line", () => {
  expect(["", "\n", "a", "a\n", "a\nb", "a\nb\n", "a\n\n"].map((text) => linesOf(text).length)).toEqual([0, 1, 1, 1, 2, 2, 2]);
});
