import { expect, test } from "vitest";
import { stopOwners } from "./stopped-owner.ts";

test("V1: stopped for longer than its lease and taken over, an owner that goes on does nothing more: 2 times", async () => {
  expect(await stopOwners(2, 6)).toBe(2);
});
