import { expect, test } from "vitest";
import { breakNothing } from "./long-seeds.ts";

test("5,000 odd seeds and half a million steps break no law", { timeout: 1_800_000 }, async () => {
  expect(await breakNothing(0)).toEqual({ seeds: 5_000, isEnough: true });
});
