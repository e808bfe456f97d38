import { expect, test } from "vitest";
import { freezeChildren } from "./frozen-children.ts";

test("twenty pieces of which six freeze: none holds its request past its deadline, all others are merged, and asked about they go on", async () => {
  expect(await freezeChildren(2, 10)).toEqual({ frozen: 6, merged: 14 });
});
