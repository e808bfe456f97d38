/** `skill-phases.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { isWholeOrNothing } from "./skill-phases.ts";

const POINTS = ["prepare", "understand", "generate", "validate", "approve", "placed:claude", "placed:gemini", "persist", "report"];

test.each(POINTS)("SKF-006 WMB-007: killed after %s, it is all or nothing, and resume finishes", async (point) => {
  expect.hasAssertions();
  await isWholeOrNothing(point);
});
