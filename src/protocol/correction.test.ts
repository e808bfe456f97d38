/** What becomes of a correction follows from what was found of it, in one order. */
import { expect, test } from "vitest";
import { correction, gate } from "./correction.ts";

const found = (breaks: string[], impacts: ("POSITIVE" | "NEGATIVE")[], sure: number) => ({
  conflicts_with_constraints: breaks,
  affected_criteria: impacts.map((impact) => ({ criterion: "it is cached", impact, reason: "so" })),
  root_cause_confidence: sure,
  root_cause_assessment: "seen",
});

test.each([
  [found(["small"], ["NEGATIVE"], 0.1), "BLOCKED", /^$/],
  [found(["small"], ["POSITIVE"], 1), "BLOCKED", /^$/],
  [found([], ["POSITIVE", "NEGATIVE"], 0.35), "FLAGGED_STRONG", /it works against "it is cached" \(so\); likely only a symptom/],
  [found([], ["NEGATIVE"], 0.49), "FLAGGED_STRONG", /symptom/],
  [found([], ["NEGATIVE"], 0.5), "FLAGGED", /^it works against "it is cached" \(so\)$/],
  [found([], ["NEGATIVE"], 1), "FLAGGED", /works against/],
  [found([], ["POSITIVE"], 0.49), "FLAGGED_NOTE", /^likely only a symptom/],
  [found([], [], 0), "FLAGGED_NOTE", /symptom/],
  [found([], ["POSITIVE"], 0.5), "PASSED", /^$/],
  [found([], [], 0.95), "PASSED", /^$/],
] as const)("INT-065: a broken limit first, then what it hinders, then the cause: %j", (given, decision, warning) => {
  const judged = gate(given);
  expect(judged).toMatchObject({ ...given, decision });
  expect(judged.warning ?? "").toMatch(warning);
});

test("INT-065: what is called passed and does not follow from what was found is no correction, and one that breaks a limit is none either", () => {
  const one = (intent_alignment: object): boolean =>
    correction.safeParse({ from: "inspector", issue: "i", correction: "c", intent_alignment }).success;
  expect(one(gate(found([], [], 1)))).toBe(true);
  expect(one({ ...gate(found([], ["NEGATIVE"], 0.1)), decision: "PASSED" })).toBe(false);
  expect(one({ ...gate(found(["small"], [], 1)), decision: "PASSED" })).toBe(false);
  expect(one(gate(found(["small"], [], 1)))).toBe(false);
});
