import { expect, test } from "vitest";
import { fuzzShell, LISTED } from "./shell-oracle.ts";

/** The driver's own, and parts of git. */
const HELPERS = ["strace", "tr", "cp", "rm", "mkdir", "bash", "sh", "dash", "git"];

test("SEC-011: 50,000 generated lines, zero escapes, zero programs that no list names", async () => {
  const report = await fuzzShell({ seed: 20260101, cases: 50_000, traced: true });
  expect(report.escapes).toEqual([]);
  expect(report.generated).toBeGreaterThanOrEqual(50_000);
  expect(report.allowed).toBeGreaterThan(5000);
  // Where processes can be traced, the system's own list of what was started is held against the guard's.
  expect((report.programs ?? []).filter((name) => !LISTED.has(name) && !HELPERS.includes(name))).toEqual([]);
});
