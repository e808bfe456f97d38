import { test } from "vitest";
import { runBoundedSteps } from "./bounded-steps.ts";

// oxlint-disable-next-line vitest/expect-expect -- the expectations are in runBoundedSteps
test("CTX-001 CTX-002 CTX-006 CTX-010 CTX-014: 200 steps, a file of 1,000,000 lines, 10 MB of errors, 5,000 files: bounded and flat", () =>
  runBoundedSteps({ steps: 200, hugeLines: 1_000_000, logLines: 130_000, files: 5_000 }));
