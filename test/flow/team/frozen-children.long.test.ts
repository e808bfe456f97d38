import { expect, test } from "vitest";
import { freezeChildren } from "./frozen-children.ts";

test("200 pieces of which 60 freeze: none holds its request past its deadline", { timeout: 600_000 }, async () => {
  expect(await freezeChildren(10, 20)).toEqual({ frozen: 60, merged: 140 });
});
