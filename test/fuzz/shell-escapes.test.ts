import { expect, test } from "vitest";
import { fuzzShell, harmSeen, PLANTED_HARM } from "./shell-oracle.ts";

test("the real shells' runs are watched: planted harm is seen, and nothing else", async () => {
  expect(await harmSeen()).toEqual(PLANTED_HARM.filter(({ harm }) => harm).map(({ line }) => line));
});

test("~SEC-011: no generated line that is allowed runs a forbidden program, writes or reads elsewhere, in bash or sh", async () => {
  const report = await fuzzShell({ seed: 1, cases: 800, traced: false });
  expect(report.escapes).toEqual([]);
  expect(report.allowed).toBeGreaterThan(40);
});
