/** A change that is to keep behaviour: only what shows its goal makes it verified, and what speaks for it is said. */
import { expect, test } from "vitest";
import { CASES, endsAsItShould } from "./refactor.ts";

test.each(CASES.slice(0, 2))("refactor: $title", async (trap) => {
  expect.hasAssertions();
  await endsAsItShould(trap);
});
