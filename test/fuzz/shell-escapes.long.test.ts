import { expect, test } from "vitest";
import { fuzzShell } from "./shell-oracle.ts";

test("SEC-011: 100,000 generated lines, zero escapes", async () => {
  const report = await fuzzShell({ seed: 20260101, cases: 100_000 });
  expect(report.escapes).toEqual([]);
  expect(report.generated).toBeGreaterThanOrEqual(100_000);
  expect(report.allowed).toBeGreaterThan(5000);
});
