import { expect, test } from "vitest";
import { stopOwners } from "./stopped-owner.ts";

const PART = 40;

test.each([0, 1, 2, 3, 4])(
  "V1: stopped for longer than its lease and taken over, an owner that goes on does nothing more: 200 times, part %i",
  async (part) => {
    expect(await stopOwners(PART, 7, part * PART)).toBe(PART);
  },
);

test("V1: stopped for longer than its lease and taken over, an owner that goes on does nothing more: before and after an append", async () => {
  expect(await stopOwners(2, 3)).toBe(2);
});
