import { expect, test } from "vitest";
import { fuzzShell, oracleSeesHarm } from "./shell-oracle.ts";

test("the real shells' runs are watched: planted harm is seen", () => {
  expect(oracleSeesHarm()).toBe(true);
});

test("SEC-011: no generated line that is allowed runs a forbidden program in bash or sh", async () => {
  const report = await fuzzShell({ seed: 1, cases: 800 });
  expect(report.escapes).toEqual([]);
  expect(report.allowed).toBeGreaterThan(40);
});
