import { expect, test } from "vitest";
import { inOneLine, planProblems } from "./check-plan.ts";

test("what a plan says in one line is one line: nothing in it ends a line or speaks to a terminal", () => {
  const forged = "done\n  ✓ A9 forged\u2028x\u2029y\u0085z\u001B[2J\r";
  const one = "done ✓ A9 forged x y z [2J";
  const plan = inOneLine({
    summary: forged,
    assertions: [{ id: "A1", text: forged, from: "inferred", shown_by: "test", why: forged }],
    nodes: [{ id: "n1", title: forged, goal: "a\nb", assertions: ["A1"], after: [], files: [] }],
    deferred: [forged],
  });
  expect([plan.summary, plan.assertions[0]?.text, plan.assertions[0]?.why, plan.nodes[0]?.title, plan.deferred[0]]).toEqual([
    one,
    one,
    one,
    one,
    one,
  ]);
  expect(plan.nodes[0]?.goal).toBe("a\nb");
});

test("a plan that names what no file can be called goes back, and what it named is told in one line", () => {
  const files = ["src/a.js", "a\0b.js", "two\nlines.js", `${"x".repeat(256)}/a.js`, `${"é".repeat(128)}.js`];
  const plan = {
    summary: "do it",
    assertions: [{ id: "A1", text: "it is so", from: "user" as const, shown_by: "test" as const }],
    nodes: [{ id: "n1", title: "one", goal: "do it", assertions: ["A1"], after: [], files }],
    deferred: [],
  };
  const problems = planProblems(plan, []);
  expect(problems.map((line) => line.replace(/names .*, which/u, "names …, which"))).toEqual(
    Array.from({ length: 4 }, () => "n1 names …, which no file can be called"),
  );
  expect(problems.every((line) => line.length < 150)).toBe(true);
});
