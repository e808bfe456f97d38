/** `refactor.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { CASES, endsAsItShould } from "./refactor.ts";

test.each(CASES)("refactor: $title", async (trap) => {
  expect.hasAssertions();
  await endsAsItShould(trap);
});
