import { expect, test } from "vitest";
import { fuzzShell } from "./shell-oracle.ts";

test("SEC-011: 50,000 generated lines, zero escapes", async () => {
  const report = await fuzzShell({ seed: 20260101, cases: 50_000 });
  expect(report.escapes).toEqual([]);
  expect(report.generated).toBeGreaterThanOrEqual(50_000);
  expect(report.allowed).toBeGreaterThan(5000);
});
