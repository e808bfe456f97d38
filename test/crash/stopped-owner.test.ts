import { expect, test } from "vitest";
import { stopOwners } from "./stopped-owner.ts";

test("V1: stopped for longer than its lease and taken over, an owner that goes on does nothing more: 4 times", async () => {
  expect(await stopOwners(4, 2)).toBe(4);
});
