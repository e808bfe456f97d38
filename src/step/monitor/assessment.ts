/** What the goal monitor says (GOA-004, GOA-006), as data and as five lines a user can read. */
import type { Assessment, ImpasseType } from "../task-facts.ts";

export interface Remedy {
  action: Assessment["action"];
  what: string;
}

export const REMEDIES: Record<ImpasseType, Remedy> = {
  KNOWLEDGE_GAP: {
    action: "remediate",
    what: "find the missing information first (code, history, documents), then go on with the findings",
  },
  CONSTRAINT_CONFLICT: { action: "escalate", what: "show the person the two requirements that exclude each other and ask which one holds" },
  RESOURCE_EXHAUSTED: { action: "halt", what: "stop and report what was done, what is left and what it cost" },
  CIRCULAR_DEPENDENCY: {
    action: "remediate",
    what: "break the cycle: name the repeated steps and take a different way; a second time, ask the person",
  },
  AMBIGUITY: { action: "escalate", what: "ask one clarifying question" },
};

/** Below these the monitor holds back (GOA-008). */
export interface ConfidenceGate {
  halt: number;
  act: number;
}

export const CONFIDENCE_GATE: ConfidenceGate = { halt: 0.6, act: 0.4 };

export function gated(action: Assessment["action"], confidence: number, gate: ConfidenceGate): Assessment["action"] {
  if (confidence < gate.act) return "continue";
  return action === "halt" && confidence < gate.halt ? "escalate" : action;
}

export function renderAssessment(assessment: Assessment): string {
  return [
    `**Impasse:** ${assessment.impasse ? (assessment.type ?? "yes") : "none"}`,
    `**Confidence:** ${assessment.confidence.toFixed(2)} (${assessment.judged_by})`,
    `**Action:** ${assessment.action}${assessment.remediation === null ? "" : `: ${assessment.remediation}`}`,
    `**Progress:** ${Math.round(assessment.progress)} %`,
    `**Evidence:** ${assessment.evidence.length === 0 ? "nothing unusual" : assessment.evidence.join("; ")}`,
  ].join("\n");
}
