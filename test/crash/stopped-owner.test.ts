import { expect, test } from "vitest";
import { stopOwners } from "./stopped-owner.ts";

test("V1: stopped for longer than its lease and taken over, an owner that goes on does nothing more: before and after an append", async () => {
  expect(await stopOwners(2, 3)).toBe(2);
});
