import { expect, test } from "vitest";
import { runLoad } from "./model-load.ts";

test("~MUL-011 ~MUL-012 ~MUL-014 ~CCY-075: 240 requests of 20 sessions over three faulty providers", async () => {
  const report = await runLoad({ requests: 240, sessions: 20, userEvery: 20, serviceMs: 10 });
  expect(report.results.map((result) => result.kind).filter((kind) => kind !== "ok")).toEqual([]);
  expect(report.budgetUsed).toBeLessThanOrEqual(report.budgetLimit);
  expect(report.budgetUsed).toBe(report.usageTokens);
  expect(report.resultTokens).toBe(report.usageTokens);
  expect(Math.max(...report.peakOpen)).toBeLessThanOrEqual(16);
  expect(report.userP99Ms).toBeLessThan(report.pipelineP99Ms);
});

test("LLM-091: when the budget does not last, calls are refused and the limit is never passed", async () => {
  const report = await runLoad({ requests: 150, sessions: 10, userEvery: 15, serviceMs: 2, budgetTokens: 8000 });
  const kinds = report.results.map((result) => result.kind);
  expect(new Set(kinds)).toEqual(new Set(["ok", "budget"]));
  expect(report.budgetUsed).toBeLessThanOrEqual(8000);
  expect(report.budgetUsed).toBe(report.usageTokens);
  expect(kinds.filter((kind) => kind === "ok").length).toBeGreaterThan(20);
});
