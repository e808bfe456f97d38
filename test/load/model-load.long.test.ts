import { expect, test } from "vitest";
import { runLoad } from "./model-load.ts";

test("~MUL-011 ~MUL-012 ~CCY-075: 1,000 requests of 50 sessions over three faulty providers", async () => {
  const report = await runLoad({ requests: 1000, sessions: 50, userEvery: 20, serviceMs: 100 });
  expect(report.results).toHaveLength(1000);
  expect(report.results.map((result) => result.kind).filter((kind) => kind !== "ok")).toEqual([]);
  expect(report.budgetUsed).toBeLessThanOrEqual(report.budgetLimit);
  expect(report.budgetUsed).toBe(report.usageTokens);
  expect(report.resultTokens).toBe(report.usageTokens);
  expect(Math.max(...report.peakOpen)).toBeLessThanOrEqual(16);
  expect(report.userP99Ms).toBeLessThan(0.05 * report.pipelineP99Ms);
  expect(report.heapGrowthMb).toBeLessThan(20);
});
