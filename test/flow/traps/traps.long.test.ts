/** `traps.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { CASES, endsAsItShould } from "./traps.ts";

test.each(CASES)("$title", async (trap) => {
  expect.hasAssertions();
  await endsAsItShould(trap);
});
