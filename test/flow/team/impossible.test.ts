import { expect, test, vi } from "vitest";
import { IMPOSSIBLE, endOf } from "./impossible-specs.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("there are twenty ways in which a request cannot be fulfilled", () => {
  expect([IMPOSSIBLE.length, new Set(IMPOSSIBLE.map(({ why }) => why)).size]).toEqual([20, 20]);
});

// The others are tried in the long form.
test.each(IMPOSSIBLE.filter((_, index) => index === 1))("what cannot be done is never called done: $why", async (impossible) => {
  const { status, looksDone } = await endOf(impossible);
  expect(["needs_you", "not_shown", "failed"]).toContain(status);
  expect(looksDone).toBe(false);
});
