/** A killed forge leaves everything or nothing, and resuming finishes. */
import { expect, test } from "vitest";
import { isWholeOrNothing } from "./skill-phases.ts";

test.each(["placed:claude"])("SKF-006 WMB-007: killed after %s, it is all or nothing, and resume finishes", async (point) => {
  expect.hasAssertions();
  await isWholeOrNothing(point);
});
