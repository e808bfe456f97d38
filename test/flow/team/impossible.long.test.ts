import { expect, test, vi } from "vitest";
import { IMPOSSIBLE, endOf } from "./impossible-specs.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test.each(IMPOSSIBLE)("what cannot be done is never called done: $why", async (impossible) => {
  const { status, looksDone } = await endOf(impossible);
  expect(["needs_you", "not_shown", "failed"]).toContain(status);
  expect(looksDone).toBe(false);
});
