/** `programs-of-a-repository.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { setups, startsNothing } from "./programs-of-a-repository.ts";

test.each(Object.entries(setups))("L1 L6: Sylk's git starts no program of the repository: %s", async (name, plant) => {
  expect.hasAssertions();
  await startsNothing(name, plant);
});
