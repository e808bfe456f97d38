import { expect, test, vi } from "vitest";
import { killAdded } from "./added-boundaries.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("SIGKILL at a place or two of a request to which words are added: the next process ends it, and the words are in the plan once and before everybody who works later", async () => {
  expect(await killAdded((place) => place % 70 === 41)).toBeGreaterThan(0);
});
