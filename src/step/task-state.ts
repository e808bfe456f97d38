/**
 * The task as its events tell it: a fold, nothing else. Everything the next step needs is here or
 * in a blob this refers to.
 */
import type { JournalEvent, View } from "../journal/index.ts";
import { applyEffect, emptyMemory, expire, type MemoryEffect, type WorkingMemory } from "../memory/index.ts";
import { countProblems, startProblems, type KnownProblem } from "./problems.ts";
import {
  taskActed,
  taskAdvised,
  taskAnswered,
  taskCancelled,
  taskCreated,
  taskDecided,
  taskIntended,
  taskKept,
  taskPauseAsked,
  taskResumed,
  taskStepped,
  taskUndone,
  taskVerified,
  type CheckResult,
  type RecordedChange,
  type TaskCreated,
} from "./task-events.ts";

export type TaskStatus = "running" | "complete" | "escalated" | "failed" | "paused" | "cancelled";

export interface ActionRecord {
  action: string;
  target: string;
  ok: boolean;
  outcome: string;
  summary: string;
  signature: string;
}

export interface StepRecord {
  step: number;
  phase: string;
  actions: ActionRecord[];
  invalid: string | undefined;
  /** What the agent said before it acted. */
  said?: string | undefined;
  progress: boolean;
  /** It saw something the task had not seen before. */
  news?: boolean | undefined;
  /** Failing checks' signatures after the step; undefined when nothing was verified. */
  failing: string[] | undefined;
  tokens: number;
}

export interface PendingStep {
  step: number;
  calls: { name: string; args: unknown; refused?: string | undefined }[];
  intended: { index: number; action: string; args: unknown; files: RecordedChange[] }[];
}

export interface TaskState {
  created: TaskCreated;
  createdAt: number;
  updatedAt: number;
  status: TaskStatus;
  phase: string;
  /** Last step that was decided. */
  step: number;
  limit: number;
  pending: PendingStep | undefined;
  current: StepRecord | undefined;
  history: StepRecord[];
  memory: WorkingMemory;
  /** Changes made so far; a verification is fresh when it saw them all. */
  changes: number;
  /** `mode` is that of the file before. */
  changedFiles: Record<string, { before: string | null; after: string | null; step: number; mode?: number }>;
  seen: string[];
  /** `rested`: time has passed since in which anyone may have changed anything. */
  verification: { step: number; changes: number; checks: CheckResult[]; ready: boolean; rested?: boolean } | undefined;
  /** What the checks said before anything was done. */
  atStart: { problems: KnownProblem[]; total: number; failing: string[] } | undefined;
  bestPassing: number;
  invalidInRow: number;
  usage: { input: number; output: number; cached: number; costUsd: number; calls: number };
  question: string | undefined;
  report: string | undefined;
  reason: string;
  code: string | undefined;
  verified: boolean;
  answers: { step: number; text: string }[];
  pauseAsked: boolean;
  /** What it learnt is in its role's memory. */
  kept: boolean;
  lastDetail: Record<string, string>;
  /** What the agent said in its last steps. */
  words: string[];
  /** One line per change made, newest last. */
  changeLog: string[];
  /** What went out of view with the last step, and was not sent away. */
  dropped: string[];
  /** What the engine tells the model about the last step. */
  notices: string[];
}

const HISTORY = 64;
/** The reason of a decision by which the agent waits for a person's word. */
export const AGENT_ASKS = "the agent asks";
const CHANGES = 30;
const SAID = 8;
const SAID_CHARS = 300;

function begin(payload: TaskCreated, at: number): TaskState {
  return {
    created: payload,
    createdAt: at,
    updatedAt: at,
    status: "running",
    phase: payload.phase,
    step: 0,
    limit: 0,
    pending: undefined,
    current: undefined,
    history: [],
    memory: emptyMemory,
    changes: 0,
    changedFiles: {},
    seen: [],
    verification: undefined,
    atStart: undefined,
    bestPassing: 0,
    invalidInRow: 0,
    usage: { input: 0, output: 0, cached: 0, costUsd: 0, calls: 0 },
    question: undefined,
    report: undefined,
    reason: "",
    code: undefined,
    verified: false,
    answers: [],
    pauseAsked: false,
    kept: false,
    lastDetail: {},
    words: [],
    changeLog: [],
    dropped: [],
    notices: [],
  };
}

function fold(state: TaskState, event: JournalEvent): TaskState {
  if (taskStepped.is(event)) {
    const { step, phase, calls, invalid, context, usage } = event.payload;
    const spent = state.usage;
    return {
      ...state,
      pending: { step, calls, intended: [] },
      dropped: [],
      current: {
        step,
        phase,
        actions: [],
        invalid,
        said: event.payload.text.trim().replaceAll(/\s+/g, " ").slice(0, SAID_CHARS),
        progress: false,
        failing: undefined,
        tokens: context.tokens,
      },
      invalidInRow: invalid === undefined ? 0 : state.invalidInRow + 1,
      words: event.payload.text.trim() === "" ? state.words : [...state.words, event.payload.text.trim().slice(0, SAID_CHARS)].slice(-SAID),
      notices: event.payload.skipped.map((why) => `Not done: ${why}`),
      usage: {
        input: spent.input + usage.input,
        output: spent.output + usage.output,
        cached: spent.cached + usage.cached,
        costUsd: spent.costUsd + (usage.cost_usd ?? 0),
        calls: spent.calls + 1,
      },
    };
  }
  if (taskIntended.is(event) && state.pending !== undefined) {
    return { ...state, pending: { ...state.pending, intended: [...state.pending.intended, event.payload] } };
  }
  if (taskActed.is(event)) return acted(state, event.payload);
  if (taskVerified.is(event)) {
    const { step, checks, ready } = event.payload;
    const passing = checks.filter((check) => check.passed).length;
    const failing = checks.filter((check) => !check.passed).map((check) => check.signature);
    const details = Object.fromEntries(
      checks.flatMap((check) =>
        check.output === undefined || check.passed
          ? []
          : [
              ["test_output", check.output],
              ["error_details", check.output],
            ],
      ),
    );
    return {
      ...state,
      verification: { step, changes: state.changes, checks, ready },
      atStart:
        state.atStart ?? (state.changes === 0 ? { problems: startProblems(checks), total: countProblems(checks), failing } : undefined),
      bestPassing: Math.max(state.bestPassing, passing),
      current: state.current === undefined ? undefined : { ...state.current, failing },
      lastDetail: { ...state.lastDetail, ...details },
    };
  }
  if (taskDecided.is(event)) return decided(state, event.payload);
  if (taskAnswered.is(event))
    return {
      ...rested(state),
      answers: [...state.answers, { step: state.step, text: event.payload.text }],
      status: "running",
      question: undefined,
    };
  if (taskResumed.is(event)) {
    const created = event.payload.model === undefined ? state.created : { ...state.created, model: event.payload.model };
    const unanswered = state.status === "escalated" && state.reason === AGENT_ASKS && state.question !== undefined;
    return {
      ...rested(state),
      created,
      status: "running",
      question: undefined,
      pauseAsked: false,
      limit: state.limit + event.payload.extra_steps,
      notices: unanswered
        ? [...state.notices, `You asked "${state.question}" and the person let you go on without an answer: decide yourself and say how.`]
        : state.notices,
    };
  }
  if (taskPauseAsked.is(event)) return { ...state, pauseAsked: true };
  if (taskAdvised.is(event)) return { ...state, notices: [...state.notices, event.payload.text] };
  if (taskUndone.is(event)) {
    const { files } = event.payload;
    return {
      ...state,
      changes: state.changes + 1,
      changedFiles: Object.fromEntries(Object.entries(state.changedFiles).filter(([file]) => !files.includes(file))),
      changeLog: [...state.changeLog, `the person took back the changes of ${files.join(", ")}`].slice(-CHANGES),
      notices: [...state.notices, `The person took back your changes of ${files.slice(0, 8).join(", ")}.`],
      verified: false,
      verification: undefined,
      reason: "its changes were taken back",
    };
  }
  if (taskKept.is(event)) return { ...state, kept: true };
  if (taskCancelled.is(event)) {
    // A change that was under way may have been made; whoever takes the task back must know of it.
    const underWay = state.pending?.intended.flatMap((intent) => intent.files) ?? [];
    return {
      ...state,
      status: "cancelled",
      reason: event.payload.reason,
      pending: undefined,
      changedFiles: withChanges(state.changedFiles, underWay, state.pending?.step ?? state.step),
    };
  }
  return state;
}

function rested(state: TaskState): TaskState {
  return state.verification === undefined ? state : { ...state, verification: { ...state.verification, rested: true } };
}

/** What a file was before the task's first change of it. One that is as it was is not changed. */
export function withChanges(known: TaskState["changedFiles"], files: readonly RecordedChange[], step: number): TaskState["changedFiles"] {
  const changed = { ...known };
  for (const { path, before, after, mode } of files) {
    const first = changed[path] ?? { before, mode };
    if (first.before === after) delete changed[path];
    else changed[path] = { before: first.before, after, step, ...(first.mode === undefined ? {} : { mode: first.mode }) };
  }
  return changed;
}

function acted(state: TaskState, payload: Parameters<typeof taskActed.create>[0]): TaskState {
  const { action, target, ok, outcome, summary, signature, files, effects, detail } = payload;
  const memory = effects.reduce(applyEffect, state.memory);
  const changedFiles = withChanges(state.changedFiles, files, payload.step);
  return {
    ...state,
    current:
      state.current === undefined
        ? undefined
        : {
            ...state.current,
            news: state.current.news === true || payload.news,
            actions: [...state.current.actions, { action, target, ok, outcome, summary, signature }],
          },
    memory,
    changeLog: files.length === 0 ? state.changeLog : [...state.changeLog, `step ${payload.step}: ${summary}`].slice(-CHANGES),
    dropped: [...state.dropped, ...gone(state.memory, memory, effects)],
    changes: state.changes + (files.length > 0 ? 1 : 0),
    changedFiles,
    seen: payload.news ? [...state.seen, signature] : state.seen,
    lastDetail: detail === undefined ? state.lastDetail : { ...state.lastDetail, [ok ? "last_result" : "error_details"]: detail },
  };
}

/** Items that left to make room, not because they were sent away. */
function gone(before: WorkingMemory, after: WorkingMemory, effects: readonly MemoryEffect[]): string[] {
  const cleared = new Set(effects.flatMap((effect) => (effect.op === "clear" ? [effect.key] : [])));
  if (cleared.has("all")) return [];
  return before.items
    .filter((item) => !cleared.has(item.key) && !after.items.some((other) => other.key === item.key))
    .map((item) => item.key);
}

function decided(state: TaskState, payload: Parameters<typeof taskDecided.create>[0]): TaskState {
  const { step, decision, phase, reason, progress, limit, question, report, code, verified, loop } = payload;
  const kept = expire(state.memory, step + 1);
  const record = state.current === undefined ? [] : [{ ...state.current, progress }];
  const status: Record<typeof decision, TaskStatus> = {
    continue: "running",
    complete: "complete",
    escalate: "escalated",
    failed: "failed",
    paused: "paused",
  };
  return {
    ...state,
    // A person's cancel stands, whatever the step that was under way decides.
    status: state.status === "cancelled" ? "cancelled" : status[decision],
    step: Math.max(step, state.step),
    phase,
    limit,
    reason,
    question,
    report,
    code,
    verified: verified ?? false,
    pauseAsked: false,
    pending: undefined,
    current: undefined,
    history: [...state.history, ...record].slice(-HISTORY),
    memory: kept,
    dropped: [...state.dropped, ...gone(state.memory, kept, [])],
    notices: loop === undefined ? state.notices : [...state.notices, `Standstill noticed: ${loop.advice}.`],
  };
}

export const taskView: View<TaskState> = {
  name: "task",
  version: 7,
  key: (event) => (event.stream.startsWith("task/") ? event.stream : undefined),
  snapshotEvery: 40,
  reduce(state, event) {
    if (taskCreated.is(event)) return begin(event.payload, event.at);
    return state === undefined ? undefined : { ...fold(state, event), updatedAt: event.at };
  },
};

export function taskStream(id: string): string {
  return `task/${id}`;
}
