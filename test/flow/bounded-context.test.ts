import { test } from "vitest";
import { runBoundedSteps } from "./bounded-steps.ts";

// oxlint-disable-next-line vitest/expect-expect -- the expectations are in runBoundedSteps
test("CTX-001 CTX-002 CTX-006 CTX-010 CTX-014: 40 steps on large files stay bounded, flat, with pinned text and prefix unchanged", () =>
  runBoundedSteps({ steps: 40, hugeLines: 200_000, logLines: 10_000, files: 500 }));
