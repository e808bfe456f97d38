import { expect, test } from "vitest";
import { breakNothing } from "./long-seeds.ts";

test("5,000 even seeds and half a million steps break no law", { timeout: 1_800_000 }, async () => {
  expect(await breakNothing(1)).toEqual({ seeds: 5_000, isEnough: true });
});
