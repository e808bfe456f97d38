/** The first version kept what goes back to a builder as one text, without who sent it. */
import type { Json } from "../../kernel/index.ts";

export function correctionsOfBefore(briefing: string): Json {
  const alignment = {
    decision: "PASSED",
    conflicts_with_constraints: [],
    affected_criteria: [],
    root_cause_confidence: 1,
    root_cause_assessment: "",
  };
  return {
    id: "before",
    correlation: "before",
    parent: null,
    session: "",
    from: "engine",
    to: "engineer",
    intent: { request: "", revision: 1 },
    at: 0,
    deadline: null,
    confidence: [],
    hops: [],
    body: { kind: "corrections", corrections: [{ from: "engine", issue: briefing, correction: "", intent_alignment: alignment }] },
  };
}
