/** What the person wants: taken once, added to by their own later words, and before everybody who works on it. */
import { expect, test, vi } from "vitest";
import { intentOfBefore } from "../../../src/protocol/events/intent-of-before.ts";
import type { Draft } from "../../../src/flow/intent.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../../support/team-project.ts";
import { begun } from "./intent.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const inferred = (id: string, text: string, more: object): Draft["assertions"][number] => ({
  id,
  text,
  from: "inferred",
  shown_by: "inspection",
  ...more,
});

/** A plan for one function that adds these assertions by itself. */
function withInferred(...more: Draft["assertions"]): TeamProject {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const [node] = plan.nodes;
  if (node === undefined) throw new Error("a plan has a piece");
  const whole = {
    ...plan,
    assertions: [...plan.assertions, ...more],
    nodes: [{ ...node, assertions: ["A1", ...more.map(({ id }) => id)] }],
  };
  return teamProject(whole, pieces);
}

test.each([
  [
    "skip confirmation",
    ["skip confirmation"],
    inferred("A2", "confirmation if unsaved", { level: "recommended", beside: "conflict", why: "skip confirmation" }),
    "conflict",
  ],
  [
    "redirect to home",
    ["redirect to home"],
    inferred("A2", "redirect to login", { level: "required", beside: "conflict", why: "redirect to home" }),
    "conflict",
  ],
  ["no limit at all", [], inferred("A2", "session termination", { level: "required" }), undefined],
  ["nobody can tell", ["be quick"], inferred("A2", "session termination", { level: "required" }), "undecided"],
  ["said already", ["be quick"], inferred("A2", "it is quick", { level: "required", beside: "duplicate", why: "be quick" }), "duplicate"],
  [
    "good practice without a conflict",
    ["be quick"],
    inferred("A2", "errors are told", { level: "recommended", beside: "unrelated" }),
    undefined,
  ],
  [
    "optional, and nobody says why here",
    ["be quick"],
    inferred("A2", "a theme", { level: "optional", beside: "unrelated" }),
    "not_relevant",
  ],
  [
    "optional, and it belongs here",
    ["be quick"],
    inferred("A2", "a theme", { level: "optional", beside: "unrelated", why: "they use themes" }),
    undefined,
  ],
] as const)(
  "INT-046 INT-047 INT-081: what the person said outranks whatever a plan infers: %s",
  async (_case, constraints, assertion, why) => {
    const { app, now } = await begun(withInferred(assertion), { approve: "ask", constraints: [...constraints] });
    expect(now.plan?.plan.assertions.map(({ id }) => id)).toEqual(why === undefined ? ["A1", "A2"] : ["A1"]);
    expect(now.plan?.plan.left.map((one) => [one.text, one.why])).toEqual(why === undefined ? [] : [[assertion.text, why]]);
    expect(now.plan?.plan.nodes[0]?.assertions).toEqual(why === undefined ? ["A1", "A2"] : ["A1"]);
    await app.close();
  },
);

test("an old request's intent is read as it was: criteria of the person, the first revision", () => {
  expect(intentOfBefore({ words: "w", constraints: ["c"], criteria: ["d"] })).toEqual({
    revision: 1,
    words: "w",
    constraints: ["c"],
    criteria: [{ source: "explicit", text: "d" }],
    said: [],
  });
});
