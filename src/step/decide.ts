/** What follows a step: go on, done, ask, give up. Pure: all facts are passed in. */
import type { Payload } from "../protocol/events/index.ts";
import type { ActionResult } from "./actions/action.ts";
import { detectLoop, type Loop } from "./loop/detect-loop.ts";
import { nextLimit } from "./loop/step-budget.ts";
import type { StepRecord, TaskState } from "./task-state.ts";
import { moveTo, type TaskType } from "./task-type.ts";
import type { CheckResult, DecidedWhy, Decision, EndKind, Evidence } from "./task-facts.ts";
import type { Ending } from "./verdict/judge-completion.ts";

export interface StepFacts {
  type: TaskType;
  state: TaskState;
  record: StepRecord;
  /** The step's last result, when it had one. */
  result: ActionResult | undefined;
  endAction: EndKind | undefined;
  changed: boolean;
  newlyPassing: boolean;
  news: boolean;
  ready: boolean;
  /** How it ends, when `complete` was granted. */
  ending: Ending | undefined;
  /** How things stand after this step. */
  checks: readonly CheckResult[];
  changedFiles: readonly string[];
  /** The user said something after this step was given what it saw. */
  unheard: boolean;
}

export interface Verdict {
  decision: Decision;
  why: DecidedWhy;
  phase: string;
  reason: string;
  progress: boolean;
  limit: number;
  question?: string;
  report?: string;
  outputs?: NonNullable<Payload<"task.decided">["outputs"]>;
  loop?: Loop;
  verified?: boolean;
  evidence?: Evidence;
  code?: string;
}

const INVALID_IN_ROW = 3;
/** Warnings about the same standstill before a user is asked. */
const LOOPS_BEFORE_ESCALATION = 3;

function madeProgress(facts: Pick<StepFacts, "type" | "changed" | "newlyPassing" | "news">): boolean {
  return facts.type.progress.some(
    (kind) =>
      (kind === "file_changed" && facts.changed) || (kind === "check_passed" && facts.newlyPassing) || (kind === "news" && facts.news),
  );
}

/** Follows the transitions as far as the facts carry, so that the next step's prompt fits where the work stands. */
function nextPhase({ type, state, changed, ready }: StepFacts): string {
  const changedEver = changed || state.changes > 0;
  let phase = state.phase;
  for (let moves = 0; moves < Object.keys(type.phases).length; moves += 1) {
    const next = type.phases[phase]?.next.find(({ when }) =>
      when === "file_changed" ? changed : when === "ready" ? ready && changedEver : !ready,
    );
    if (next === undefined) break;
    phase = moveTo(type, phase, next.to);
  }
  return phase;
}

function report({ state, checks: results, changedFiles: files }: StepFacts, record: StepRecord, why: string): string {
  const tried = [...state.history.slice(-6), record].flatMap((step) =>
    step.actions
      .filter((action) => action.action !== "escalate")
      .map((action) => `- step ${step.step}: ${`${action.action} ${action.target}`.trim()} → ${action.summary}`),
  );
  const checks = results.filter((check) => !check.passed).map((check) => `- ${check.name}: ${check.summary}`);
  return [
    why,
    tried.length > 0 ? `Tried last:\n${tried.slice(-8).join("\n")}` : "",
    checks.length > 0 ? `Still failing:\n${checks.join("\n")}` : "",
    files.length > 0 ? `Changed so far: ${files.slice(0, 20).join(", ")}` : "Nothing was changed.",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Loop warnings since the last progress. */
function standstills(state: TaskState, record: StepRecord): number {
  const history = [...state.history, record];
  let count = 0;
  for (let end = history.findLastIndex((step) => step.progress) + 2; end <= history.length; end += 1)
    if (detectLoop(history.slice(0, end)) !== undefined) count += 1;
  return count;
}

export function decide(facts: StepFacts): Verdict {
  const { state, record, result, endAction } = facts;
  const progress = madeProgress(facts);
  const limit = nextLimit({ limit: state.limit, step: record.step, progress, maxSteps: state.created.max_steps });
  const base = { phase: nextPhase(facts), progress, limit };
  if (endAction === "complete" && result?.ok === true && facts.type.plans === true) {
    const question = "Is this how it should be done?";
    return {
      ...base,
      decision: "escalate",
      why: "plan_ready",
      reason: "its plan waits for your approval",
      question,
      report: result.summary,
    };
  }
  // Whoever spoke while it came to its end is heard first.
  if (facts.ending !== undefined && result?.ok === true && !facts.unheard) {
    return {
      ...base,
      decision: "complete",
      why: "done",
      ...facts.ending,
      report: result.summary,
      ...(result.outputs === undefined ? {} : { outputs: result.outputs }),
    };
  }
  if (endAction === "ask_user" && result?.ok === true)
    return { ...base, decision: "escalate", why: "agent_asks", reason: "the agent asks", question: result.summary };
  if (endAction === "escalate" && result !== undefined) {
    return {
      ...base,
      decision: "escalate",
      why: "agent_gives_up",
      reason: "the agent cannot go on",
      question: result.summary,
      report: report(facts, record, result.summary),
    };
  }
  const full = { ...record, progress };
  const stuck = (why: DecidedWhy, reason: string, loop?: Loop, code?: string): Verdict => ({
    ...base,
    decision: "escalate",
    why,
    reason,
    question: "How should this go on?",
    report: report(facts, full, reason),
    ...(loop === undefined ? {} : { loop }),
    ...(code === undefined ? {} : { code }),
  });
  if (record.invalid !== undefined && state.invalidInRow >= INVALID_IN_ROW)
    return stuck("unusable_answers", `${state.invalidInRow} answers in a row could not be used; last: ${record.invalid}`);
  const loop = detectLoop([...state.history, full]);
  if (loop !== undefined && standstills(state, full) >= LOOPS_BEFORE_ESCALATION)
    return stuck("no_way_forward", `no way forward after ${LOOPS_BEFORE_ESCALATION} changes of tactics: ${loop.advice}`, loop);
  if (record.step >= limit)
    return stuck("steps_used_up", `the budget of ${limit} step${limit === 1 ? "" : "s"} is used up`, loop, "STEP_BUDGET");
  return { ...base, decision: "continue", why: "goes_on", reason: "", ...(loop === undefined ? {} : { loop }) };
}
