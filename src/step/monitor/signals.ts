/**
 * Deterministic signals of being stuck (GOA-005). Each looks at recorded steps only and says what it
 * saw; none fires while the work gets on, except what is true whatever the steps look like.
 */
import { detectLoop } from "../loop/detect-loop.ts";
import type { StepRecord } from "../task-state.ts";
import { contradictions } from "./contradictions.ts";
import type { ImpasseType } from "../task-facts.ts";

export interface MonitorInput {
  goal: string;
  criteria: readonly string[];
  constraints: readonly string[];
  steps: readonly StepRecord[];
  /** Steps allowed, and steps of the whole task so far. */
  limit: number;
  step: number;
  /** The user is being asked something. */
  question: string | undefined;
  /** Why the task stopped, when a limit of money, tokens or time stopped it. */
  code: string | undefined;
  /** What the agent said lately. */
  words: readonly string[];
  changedFiles: readonly string[];
  checks: readonly { name: string; passed: boolean }[];
}

export interface Signal {
  type: ImpasseType;
  confidence: number;
  evidence: string[];
}

const STANDSTILL = 3;
const name = (step: StepRecord): string =>
  `step ${step.step}: ${step.actions.map((action) => `${action.action} ${action.target}`.trim()).join(", ") || "no usable action"}`;
const sinceProgress = (steps: readonly StepRecord[]): number => steps.length - 1 - steps.findLastIndex((step) => step.progress);

function exhausted(input: MonitorInput): Signal | undefined {
  if (input.code !== undefined && /BUDGET|TIMEOUT|DEADLINE|QUOTA/.test(input.code))
    return { type: "RESOURCE_EXHAUSTED", confidence: 0.95, evidence: [`stopped by ${input.code}`] };
  if (input.limit > 0 && input.step >= input.limit)
    return { type: "RESOURCE_EXHAUSTED", confidence: 0.95, evidence: [`step ${input.step} of ${input.limit}`] };
  const unusable = input.steps.slice(-STANDSTILL).filter((step) => step.invalid !== undefined);
  if (unusable.length === STANDSTILL)
    return { type: "RESOURCE_EXHAUSTED", confidence: 0.9, evidence: unusable.map((step) => `step ${step.step}: unusable answer`) };
  if (input.limit > 0 && input.step >= input.limit * 0.9 && sinceProgress(input.steps) >= STANDSTILL) {
    return {
      type: "RESOURCE_EXHAUSTED",
      confidence: 0.7,
      evidence: [`step ${input.step} of ${input.limit}, nothing gained in the last ${sinceProgress(input.steps)}`],
    };
  }
  return undefined;
}

/** Two sets of failures that take turns: each fix brings the other back. */
function takingTurns(steps: readonly StepRecord[]): Signal | undefined {
  const verified = steps.filter((step) => step.failing !== undefined && step.failing.length > 0).slice(-6);
  const sets = verified.map((step) => (step.failing ?? []).toSorted().join(","));
  if (sets.length < 4) return undefined;
  const [a, b, c, d] = sets.slice(-4);
  if (a === b || a !== c || b !== d) return undefined;
  return { type: "CONSTRAINT_CONFLICT", confidence: 0.85, evidence: verified.slice(-4).map((step) => `${name(step)} → other checks fail`) };
}

function excluding(input: MonitorInput): Signal | undefined {
  const pairs = contradictions([...input.criteria, ...input.constraints]);
  const pair = pairs[0];
  return pair === undefined
    ? undefined
    : { type: "CONSTRAINT_CONFLICT", confidence: 0.85, evidence: [`"${pair[0]}" and "${pair[1]}" exclude each other`] };
}

const NOTHING_FOUND = new Set(["not_found", "nothing", "unknown_item", "missing_binary", "bad_pattern", "outside"]);
const LACKS =
  /\b(cannot find|can't find|could not find|no documentation|don't know|do not know|not documented|missing information|unknown api|need to know)\b/i;

function gap(input: MonitorInput): Signal | undefined {
  const recent = input.steps.slice(-6);
  const empty = recent.filter((step) => step.actions.length > 0 && step.actions.every((action) => NOTHING_FOUND.has(action.outcome)));
  const distinct = new Set(empty.flatMap((step) => step.actions.map((action) => action.target)));
  const said = input.words.slice(-4).filter((text) => LACKS.test(text));
  if (distinct.size >= 3 && sinceProgress(input.steps) >= STANDSTILL)
    return { type: "KNOWLEDGE_GAP", confidence: said.length > 0 ? 0.85 : 0.75, evidence: empty.map(name) };
  if (said.length >= 2 && sinceProgress(input.steps) >= STANDSTILL)
    return { type: "KNOWLEDGE_GAP", confidence: 0.65, evidence: said.map((text) => `said: ${text.slice(0, 100)}`) };
  return undefined;
}

/** The same few steps over and over, with nothing gained. */
function circle(input: MonitorInput): Signal | undefined {
  const quiet = input.steps.slice(-Math.max(0, sinceProgress(input.steps)));
  const marks = quiet.map((step) => step.actions.map((action) => action.signature).join("|") || "none");
  for (const period of [1, 2, 3, 4]) {
    const rounds = period === 1 ? 3 : 2;
    const tail = marks.slice(-period * (rounds + (period === 1 ? 0 : 0)));
    if (tail.length < period * rounds || tail.length < STANDSTILL) continue;
    const repeats = tail.every((mark, at) => mark === tail[at % period]);
    const varied = new Set(tail.slice(0, period)).size === period;
    if (repeats && varied) return { type: "CIRCULAR_DEPENDENCY", confidence: 0.85, evidence: quiet.slice(-period * rounds).map(name) };
  }
  const loop = detectLoop(input.steps);
  if (loop?.kind === "same_action_fails") return { type: "CIRCULAR_DEPENDENCY", confidence: 0.8, evidence: loop.evidence };
  if (loop?.kind === "same_outcome" && sinceProgress(input.steps) >= 4)
    return { type: "CIRCULAR_DEPENDENCY", confidence: 0.65, evidence: loop.evidence };
  return undefined;
}

const UNSURE =
  /\b(unclear|ambiguous|could mean|not specified|either .{1,60} or|which (one|of)|two readings|not sure (what|which|whether))\b/i;

function unclear(input: MonitorInput): Signal | undefined {
  if (input.question !== undefined) return { type: "AMBIGUITY", confidence: 0.9, evidence: [`asked: ${input.question.slice(0, 160)}`] };
  const said = input.words.slice(-5).filter((text) => UNSURE.test(text));
  if (said.length >= 2 && sinceProgress(input.steps) >= 2)
    return { type: "AMBIGUITY", confidence: 0.7, evidence: said.map((text) => `said: ${text.slice(0, 120)}`) };
  return undefined;
}

const DRIFT_STEPS = 8;
const words = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 3);

/** Work that touches nothing the goal or a criterion speaks of, for long, and gains no check (GOA-011). */
function drift(input: MonitorInput): Signal | undefined {
  const recent = input.steps.slice(-DRIFT_STEPS);
  const changes = recent.filter((step) => step.actions.some((action) => action.outcome === "changed"));
  if (recent.length < DRIFT_STEPS || changes.length < 4 || input.checks.some((check) => check.passed)) return undefined;
  const wanted = new Set([input.goal, ...input.criteria, ...input.checks.map((check) => check.name)].flatMap(words));
  const touched = changes.flatMap((step) => step.actions.flatMap((action) => words(`${action.target} ${action.summary}`)));
  if (wanted.size < 4 || touched.some((word) => wanted.has(word))) return undefined;
  const failing = new Set(recent.map((step) => (step.failing ?? []).join(",")));
  if (failing.size > 1) return undefined;
  return { type: "AMBIGUITY", confidence: 0.6, evidence: changes.map(name) };
}

/** All signals, surest first. */
export function signalsOf(input: MonitorInput): Signal[] {
  const found = [unclear(input), exhausted(input), takingTurns(input.steps), excluding(input), gap(input), circle(input), drift(input)];
  return found.filter((signal) => signal !== undefined).toSorted((a, b) => b.confidence - a.confidence);
}
