import { expect, test } from "vitest";
import { fuzzPaths } from "./path-oracle.ts";

test("SEC-036: 30,000 generated paths, zero escapes", () => {
  const report = fuzzPaths({ seed: 20260102, cases: 30_000 });
  expect(report.escapes).toEqual([]);
  expect(report.written).toBeGreaterThan(500);
});
