/**
 * The goal monitor (GOA-002): reconstructs the goal, measures progress, looks for an impasse, chooses
 * a remedy. Signals decide first; a model is asked only when they say too little and one is there.
 */
import type { TaskState } from "../task-state.ts";
import { CONFIDENCE_GATE, gated, REMEDIES, type ConfidenceGate } from "./assessment.ts";
import { signalsOf, type MonitorInput } from "./signals.ts";
import type { Assessment } from "../task-facts.ts";

/** Asked when the signals are inconclusive; undefined when there is no model or it could not say. */
export type Judge = (input: MonitorInput, known: readonly string[]) => Promise<Assessment | undefined>;

export interface AssessOptions {
  judge?: Judge | undefined;
  gate?: ConfidenceGate | undefined;
  /** How often each remedy has helped before. */
  outcomes?: readonly RemedyOutcome[];
  /** Remedies of this kind already tried in this task without progress since. */
  tried?: readonly string[];
}

const LONG_QUIET = 6;
/** A remedy that failed this often, and more often than it worked, is not tried again. */
const ENOUGH_FAILURES = 3;

export interface RemedyOutcome {
  type: string;
  worked: number;
  failed: number;
}

function failsUsually(type: string, outcomes: readonly RemedyOutcome[] = []): boolean {
  const known = outcomes.find((one) => one.type === type);
  return known !== undefined && known.failed >= ENOUGH_FAILURES && known.failed > known.worked;
}

/** What earlier remedies taught, in words. */
export function learntFrom(outcomes: readonly RemedyOutcome[]): string[] {
  return outcomes
    .filter(({ worked, failed }) => worked + failed > 0)
    .map(({ type, worked, failed }) => `${type}: the remedy brought work on again in ${worked} of ${worked + failed} cases`);
}

/** Each criterion: met when the work is verified, open while a check fails, else nobody can say. */
export function criteriaProgress(input: MonitorInput, verified: boolean): { criterion: string; met: boolean | null; evidence: string }[] {
  const failing = input.checks.filter((check) => !check.passed).map((check) => check.name);
  return input.criteria.map((criterion) =>
    verified
      ? { criterion, met: true, evidence: "all checks pass and the work was called done" }
      : failing.length > 0
        ? { criterion, met: false, evidence: `failing: ${failing.slice(0, 4).join(", ")}` }
        : { criterion, met: null, evidence: input.checks.length === 0 ? "no check speaks of it" : "checks pass, the work goes on" },
  );
}

export function monitorInput(state: TaskState): MonitorInput {
  const steps = state.current === undefined ? state.history : [...state.history, state.current];
  return {
    goal: state.created.goal,
    criteria: state.created.criteria,
    constraints: state.created.constraints,
    steps,
    limit: state.limit,
    step: state.step,
    question: state.status === "escalated" && state.why === "agent_asks" ? state.question : undefined,
    code: state.status === "paused" ? state.code : undefined,
    words: state.words,
    changedFiles: Object.keys(state.changedFiles),
    checks: (state.verification?.checks ?? []).map(({ name, passed }) => ({ name, passed })),
  };
}

/** Share of checks that pass, or of steps that brought something. */
function progressOf(input: MonitorInput): number {
  if (input.checks.length > 0) {
    const share = input.checks.filter((check) => check.passed).length / input.checks.length;
    return Math.round(100 * (share === 1 ? 1 : Math.min(0.95, share + (input.changedFiles.length > 0 ? 0.05 : 0))));
  }
  if (input.steps.length === 0) return 0;
  return Math.round(Math.min(95, (100 * input.steps.filter((step) => step.progress).length) / input.steps.length));
}

export async function assess(input: MonitorInput, options: AssessOptions = {}): Promise<Assessment> {
  const gate = options.gate ?? CONFIDENCE_GATE;
  const progress = progressOf(input);
  const [surest] = signalsOf(input);
  const quiet = input.steps.length - 1 - input.steps.findLastIndex((step) => step.progress);
  const inconclusive = (surest === undefined || surest.confidence < gate.halt) && quiet >= LONG_QUIET;
  if (inconclusive && options.judge !== undefined) {
    const judged = await options.judge(input, learntFrom(options.outcomes ?? []));
    if (judged !== undefined) return { ...judged, progress, action: gated(judged.action, judged.confidence, gate), judged_by: "model" };
  }
  if (surest === undefined) {
    return {
      impasse: false,
      type: null,
      confidence: quiet >= LONG_QUIET ? 0.5 : 0.9,
      action: "continue",
      remediation: null,
      progress,
      evidence: quiet >= LONG_QUIET ? [`${quiet} steps without progress`] : [],
      judged_by: "signals",
    };
  }
  const remedy = REMEDIES[surest.type];
  // The same remedy twice in a row without progress is no remedy.
  const again =
    remedy.action === "remediate" && (options.tried?.includes(surest.type) === true || failsUsually(surest.type, options.outcomes));
  const action = gated(again ? "escalate" : remedy.action, surest.confidence, gate);
  return {
    impasse: action !== "continue",
    type: surest.type,
    confidence: surest.confidence,
    action,
    remediation: remedy.what,
    progress,
    evidence: surest.evidence,
    judged_by: "signals",
  };
}
