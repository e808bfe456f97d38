/** Asks a small model whether a task is stuck; bounded to 1,500 tokens in and 800 out (GOA-003). */
import { z } from "zod";
import { countTokens, type ModelGate } from "../../model/index.ts";
import { headAndTail, shortLine } from "../context/fit-lines.ts";
import type { Judge } from "./assess.ts";
import { REMEDIES } from "./assessment.ts";
import type { MonitorInput } from "./signals.ts";
import { CHOICES } from "../../protocol/index.ts";

const INPUT_TOKENS = 1_500;
const OUTPUT_TOKENS = 800;

const SYSTEM = `You watch a software agent at work and say whether it is still on its way to the goal.
It is stuck only if its last steps brought nothing and the next ones are likely to bring nothing.
Kinds of being stuck: KNOWLEDGE_GAP (information is missing), CONSTRAINT_CONFLICT (requirements exclude each other), RESOURCE_EXHAUSTED (steps, tokens or time are used up), CIRCULAR_DEPENDENCY (the same steps repeat), AMBIGUITY (a requirement can be read in two ways).
Answer with what the record shows, not with what might be.`;

const verdict = z.object({
  stuck: z.boolean(),
  kind: z.enum([...CHOICES.impasseType, "NONE"]),
  confidence: z.number().min(0).max(1),
  evidence: z.array(z.string()).max(4),
});

function render(input: MonitorInput, learnt: readonly string[]): string {
  const steps = input.steps
    .slice(-10)
    .map(
      (step) =>
        `- step ${step.step}${step.progress ? " (progress)" : ""}: ${step.actions.map((action) => `${action.action} ${shortLine(action.target, 60)} → ${action.outcome}`).join("; ") || "no usable action"}`,
    );
  const text = [
    `Goal: ${shortLine(input.goal, 600)}`,
    input.criteria.length > 0 ? `Done when: ${input.criteria.map((one) => shortLine(one, 120)).join("; ")}` : "",
    `Checks: ${input.checks.map((check) => `${check.name} ${check.passed ? "passes" : "fails"}`).join(", ") || "none"}`,
    `Step ${input.step} of ${input.limit}. Last steps:\n${steps.join("\n")}`,
    input.words.length > 0
      ? `It said: ${input.words
          .slice(-3)
          .map((said) => shortLine(said, 200))
          .join(" / ")}`
      : "",
    learnt.length > 0 ? `Learnt before: ${learnt.slice(0, 3).join("; ")}` : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
  return headAndTail(text, INPUT_TOKENS - countTokens(SYSTEM) - 120);
}

export function createModelJudge(gate: ModelGate, model: string, task: { id: string; session: string }, signal: AbortSignal): Judge {
  return async (input, learnt) => {
    const answer = await gate.object(
      {
        model,
        system: SYSTEM,
        user: render(input, learnt),
        tools: [],
        maxOutputTokens: OUTPUT_TOKENS,
        role: "goal-monitor",
        session: task.session,
        task: task.id,
        step: input.step,
        phase: "monitor",
        purpose: "goal-monitor",
        priority: 20,
        lane: "pipeline",
      },
      verdict,
      signal,
    );
    if (answer.kind !== "ok") return undefined;
    const { stuck, kind, confidence, evidence } = answer.value;
    const type = stuck && kind !== "NONE" ? kind : null;
    const remedy = type === null ? undefined : REMEDIES[type];
    return {
      impasse: type !== null,
      type,
      confidence,
      action: remedy?.action ?? "continue",
      remediation: remedy?.what ?? null,
      progress: 0,
      evidence,
      judged_by: "model",
    };
  };
}
