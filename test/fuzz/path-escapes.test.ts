import { expect, test } from "vitest";
import { fuzzPaths } from "./path-oracle.ts";

test("SEC-036: no generated path that is allowed leads outside when it is really written", () => {
  const report = fuzzPaths({ seed: 3, cases: 10_000 });
  expect(report.escapes).toEqual([]);
  expect(report.written).toBeGreaterThan(200);
});
