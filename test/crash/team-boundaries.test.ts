import { expect, test, vi } from "vitest";
import { killRequests } from "./team-boundaries.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("SIGKILL at a place or two between the appends of a request and its pieces: the next process ends it, nothing twice, nothing lost, no tree left", async () => {
  expect(await killRequests((place) => place % 62 === 44)).toBeGreaterThan(0);
});
