import { expect, test, vi } from "vitest";
import { killRequests } from "./team-boundaries.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("SIGKILL at some places between the appends of a request and its pieces: the next process ends it, nothing twice, nothing lost, no tree left", async () => {
  expect(await killRequests((place) => place % 31 === 13)).toBeGreaterThan(0);
});
