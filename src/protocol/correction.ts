/**
 * What a reviewer or the checks send back to a builder, with what it means for the person's limits and criteria. The
 * decision follows from the fields; one that says something else, or breaks a limit, is no correction that can be sent.
 */
import { z } from "zod";
import { CHOICES } from "./choices.ts";

const impact = z.object({ criterion: z.string(), impact: z.enum(CHOICES.criterionImpact), reason: z.string() });

const judged = z.object({
  conflicts_with_constraints: z.array(z.string()),
  /** Criteria it helps or hinders; what it leaves alone is not named. */
  affected_criteria: z.array(impact),
  root_cause_confidence: z.number().min(0).max(1),
  root_cause_assessment: z.string(),
});

export const alignment = judged.extend({
  decision: z.enum(CHOICES.gateDecision),
  warning: z.string().optional(),
});
type Alignment = z.infer<typeof alignment>;

/** Below this it is likely that only a symptom is mended; from the second on it is likely the cause. */
const LIKELY_SYMPTOM = 0.5;
const LIKELY_CAUSE = 0.8;

function decided({ conflicts_with_constraints: breaks, affected_criteria: impacts, root_cause_confidence: sure }: z.infer<typeof judged>) {
  if (breaks.length > 0) return "BLOCKED";
  const hinders = impacts.some(({ impact: of }) => of === "NEGATIVE");
  if (hinders) return sure < LIKELY_SYMPTOM ? "FLAGGED_STRONG" : "FLAGGED";
  return sure < LIKELY_SYMPTOM ? "FLAGGED_NOTE" : "PASSED";
}

const likely = (sure: number): string =>
  sure >= LIKELY_CAUSE ? "likely the cause" : sure >= LIKELY_SYMPTOM ? "perhaps the cause" : "likely only a symptom: find the cause first";

/** The five-way gate: any broken limit blocks; then what it hinders, then whether it goes to the cause. */
export function gate(given: z.infer<typeof judged>): Alignment {
  const decision = decided(given);
  const hindered = given.affected_criteria.flatMap(({ criterion, impact: of, reason }) =>
    of === "NEGATIVE" ? [`it works against "${criterion}" (${reason})`] : [],
  );
  const words = [...hindered, ...(given.root_cause_confidence < LIKELY_SYMPTOM ? [likely(given.root_cause_confidence)] : [])];
  const isFlagged = decision !== "PASSED" && decision !== "BLOCKED";
  return { ...given, decision, ...(isFlagged ? { warning: words.join("; ") } : {}) };
}

export const correction = z
  .object({ from: z.string(), issue: z.string(), correction: z.string(), intent_alignment: alignment })
  .refine(({ intent_alignment: one }) => one.decision === decided(one), "the decision does not follow from what was found")
  .refine(({ intent_alignment: one }) => one.decision !== "BLOCKED", "what breaks a limit of the person is not sent");
