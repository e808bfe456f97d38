import { expect, test } from "vitest";
import { labelledTraces, type Trace } from "../../../test/support/goal-traces.ts";
import { openTestGate } from "../../../test/support/model-gate.ts";
import { countTokens, type ModelGate } from "../../model/index.ts";
import { assess } from "./assess.ts";
import { gated, renderAssessment } from "./assessment.ts";
import { contradictions } from "./contradictions.ts";
import { createModelJudge } from "./model-judge.ts";

const judged = async (traces: readonly Trace[]) =>
  Promise.all(traces.map(async (trace) => ({ label: trace.label, said: await assess(trace.input) })));

test("GOA-010: recall of every kind at least 0.95, false alarms at most 2 %, on the labelled traces", async () => {
  const results = await judged(labelledTraces(60, 300));
  const recall = Object.fromEntries(
    ["KNOWLEDGE_GAP", "CONSTRAINT_CONFLICT", "RESOURCE_EXHAUSTED", "CIRCULAR_DEPENDENCY", "AMBIGUITY"].map((label) => {
      const of = results.filter((one) => one.label === label);
      return [label, of.filter((one) => one.said.impasse && one.said.type === label).length / of.length];
    }),
  );
  const healthy = results.filter((one) => one.label === "HEALTHY");
  const alarms = healthy.filter((one) => one.said.impasse).length / healthy.length;
  expect(Object.entries(recall).filter(([, value]) => value < 0.95)).toEqual([]);
  expect(alarms).toBeLessThanOrEqual(0.02);
});

test("~GOA-004: each kind has its remedy; a cycle that was broken once already goes to the person", async () => {
  const of = (label: Trace["label"]): Trace => labelledTraces(3, 0).find((trace) => trace.label === label) as Trace;
  expect((await assess(of("KNOWLEDGE_GAP").input)).action).toBe("remediate");
  expect((await assess(of("CONSTRAINT_CONFLICT").input)).action).toBe("escalate");
  expect((await assess(of("RESOURCE_EXHAUSTED").input)).action).toBe("halt");
  expect((await assess(of("AMBIGUITY").input)).action).toBe("escalate");
  const circle = of("CIRCULAR_DEPENDENCY").input;
  expect((await assess(circle)).action).toBe("remediate");
  expect((await assess(circle, { tried: ["CIRCULAR_DEPENDENCY"] })).action).toBe("escalate");
});

test("GOA-008: below 0.6 a halt becomes a question, below 0.4 the work goes on", () => {
  const gate = { halt: 0.6, act: 0.4 };
  expect([gated("halt", 0.7, gate), gated("halt", 0.5, gate), gated("halt", 0.3, gate), gated("remediate", 0.5, gate)]).toEqual([
    "halt",
    "escalate",
    "continue",
    "remediate",
  ]);
});

test("GOA-005: a model is asked only when the signals say too little, and not at all without one", async () => {
  const [stuckTrace, ...rest] = labelledTraces(1, 5);
  let asked = 0;
  const judge = () => {
    asked += 1;
    return Promise.resolve(undefined);
  };
  for (const trace of [stuckTrace, ...rest]) await assess((trace as Trace).input, { judge });
  expect(asked).toBe(0);
  const quiet = { ...(rest.at(-1) as Trace).input };
  const plain = quiet.steps.map((step, i) => ({
    ...step,
    progress: false,
    failing: undefined,
    actions: step.actions.map((action) => ({ ...action, ok: true, outcome: "read", signature: `s${i}` })),
  }));
  await assess({ ...quiet, steps: plain, words: [] }, { judge });
  expect(asked).toBe(1);
});

test("GOA-006: five bold lines", async () => {
  const text = renderAssessment(await assess((labelledTraces(1, 0)[0] as Trace).input));
  expect(text.split("\n").map((line) => /^\*\*(\w+):\*\*/.exec(line)?.[1])).toEqual([
    "Impasse",
    "Confidence",
    "Action",
    "Progress",
    "Evidence",
  ]);
});

test("~GOA-004: statements exclude each other by negation or by bounds, and only when they speak of the same thing", () => {
  expect(contradictions(["the list must be sorted", "the list must not be sorted"])).toHaveLength(1);
  expect(contradictions(["retry at most 3 times", "retry at least 5 times"])).toHaveLength(1);
  expect(
    contradictions(["do not change the public interface", "existing tests pass", "the total includes the discount", "no new dependencies"]),
  ).toEqual([]);
  expect(contradictions(["retry at least 3 times", "retry at most 5 times"])).toEqual([]);
});

test("GOA-003: the judge is given at most 1,500 tokens and may answer with 800, whatever the task's size; what the agent said stays", async () => {
  const real = openTestGate({
    rules: [{ answer: { text: JSON.stringify({ stuck: true, kind: "AMBIGUITY", confidence: 0.8, evidence: ["two readings"] }) } }],
  });
  const seen: Parameters<ModelGate["object"]>[0][] = [];
  const object: ModelGate["object"] = (request, schema, signal) => {
    seen.push(request);
    return real.object(request, schema, signal);
  };
  const gate = Object.assign(Object.create(real) as ModelGate, { object });
  const [trace] = labelledTraces(1, 0);
  const long = "the very long tale of what is wanted here ".repeat(400);
  const judge = createModelJudge(gate, "scripted/rules.yaml", { id: "t", session: "s" }, new AbortController().signal);
  const said = await judge({ ...(trace as Trace).input, goal: long, criteria: [long, long], words: [`I said ${long}`] }, [long]);
  expect(said).toMatchObject({ impasse: true, type: "AMBIGUITY", judged_by: "model" });
  const [request] = seen as [(typeof seen)[number]];
  expect(countTokens(request.system) + countTokens(request.user)).toBeLessThanOrEqual(1_500);
  expect(request.maxOutputTokens).toBe(800);
  expect(request.user).toContain("It said: I said the very long tale");
});
