import { expect, test } from "vitest";
import { fuzzPaths } from "./path-oracle.ts";

test("SEC-036: 120,000 generated paths, zero escapes", () => {
  const report = fuzzPaths({ seed: 20260102, cases: 120_000 });
  expect(report.escapes).toEqual([]);
  expect(report.written).toBeGreaterThan(2_000);
});
