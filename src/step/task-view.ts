/** The task as its events tell it: a fold, nothing else. */
import { unreachable } from "../kernel/index.ts";
import type { View } from "../journal/index.ts";
import { applyEffect, emptyMemory, expire, type WorkingMemory } from "../memory/index.ts";
import { EVENTS, decode, type EventIn, type Payload } from "../protocol/events/index.ts";
import { addToLedger, emptyLedger } from "./ledger.ts";
import { itemsOf } from "./profiles.ts";
import { repeatedFailures } from "./problems.ts";
import { startOf, withCheck } from "./start-of-task.ts";
import type { MemoryEffect, RecordedChange } from "./task-facts.ts";
import { changedSoFar, withChanges, withMerged } from "./task-files.ts";
import type { TaskState, TaskStatus } from "./task-state.ts";

const HISTORY = 64;
const SAID = 8;
const SAID_CHARS = 500;

function begin(payload: Payload<"task.created">, at: number): TaskState {
  return {
    // Those of earlier versions say only that they plan.
    created: payload.plan === true && payload.mode === undefined ? { ...payload, mode: "plan" } : payload,
    profile: payload.profile,
    createdAt: at,
    updatedAt: at,
    planning: payload.plan === true,
    status: "running",
    stopped: false,
    phase: payload.phase,
    step: 0,
    limit: 0,
    pending: undefined,
    current: undefined,
    history: [],
    memory: { ...emptyMemory, limit: itemsOf(payload.profile) },
    ledger: emptyLedger,
    changes: 0,
    changedFiles: {},
    seen: [],
    verification: undefined,
    atStart: undefined,
    toldCannotRun: false,
    bestPassing: 0,
    invalidInRow: 0,
    usage: { input: 0, output: 0, cached: 0, costUsd: 0, calls: 0 },
    question: undefined,
    questionId: undefined,
    report: undefined,
    outputs: undefined,
    why: "goes_on",
    reason: "",
    code: undefined,
    verified: false,
    evidence: undefined,
    answers: [],
    pauseAsked: false,
    tree: undefined,
    merging: undefined,
    merged: undefined,
    kept: false,
    lastDetail: {},
    words: [],
    dropped: [],
    notices: [],
    standstill: false,
  };
}

function stepped(state: TaskState, payload: Payload<"task.stepped">): TaskState {
  const { step, phase, calls, invalid, context, usage, skipped } = payload;
  const spent = state.usage;
  const text = payload.text.trim();
  return {
    ...state,
    pending: { step, calls, intended: [] },
    dropped: [],
    current: {
      step,
      phase,
      actions: [],
      invalid,
      said: text.replaceAll(/\s+/g, " ").slice(0, SAID_CHARS),
      progress: false,
      failing: undefined,
      tokens: context.tokens,
    },
    invalidInRow: invalid === undefined ? 0 : state.invalidInRow + 1,
    words: text === "" ? state.words : [...state.words, text.slice(0, SAID_CHARS)].slice(-SAID),
    notices: skipped.map((why) => `Not done: ${why}`),
    standstill: false,
    usage: {
      input: spent.input + usage.input,
      output: spent.output + usage.output,
      cached: spent.cached + usage.cached,
      costUsd: spent.costUsd + (usage.cost_usd ?? 0),
      calls: spent.calls + 1,
    },
  };
}

function verified(state: TaskState, { step, checks, ready }: Payload<"task.verified">): TaskState {
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
    verification: { step, changes: state.changes, checks, ready, repeated: repeatedFailures(state.verification?.checks ?? [], checks) },
    atStart: state.changes === 0 ? startOf(state.atStart, checks) : state.atStart,
    bestPassing: Math.max(state.bestPassing, passing),
    current: state.current === undefined ? undefined : { ...state.current, failing },
    lastDetail: { ...state.lastDetail, ...details },
  };
}

/** The plan as the agent's own note, which every step shows. */
function planNote(text: string, step: number): Parameters<typeof applyEffect>[1] {
  return { op: "note", key: "plan", text, step };
}

function reproduced(state: TaskState, { check }: Payload<"task.reproduced">): TaskState {
  const { created, atStart } = state;
  const checks = [...created.checks, { name: check.name, command: check.command }];
  return { ...state, created: { ...created, checks }, atStart: withCheck(atStart, check) };
}

function resumed(state: TaskState, { model, extra_steps, plan, session_usd: usd, mode }: Payload<"task.resumed">): TaskState {
  const approved =
    plan === undefined ? state : { ...state, planning: false, memory: applyEffect(state.memory, planNote(plan, state.step)) };
  const unanswered = state.status === "escalated" && state.why === "agent_asks" && state.question !== undefined;
  return {
    ...rested(approved),
    created: {
      ...state.created,
      ...(model === undefined ? {} : { model }),
      ...(usd === undefined ? {} : { session_usd: usd }),
      // A plan that is approved is carried out.
      mode: mode ?? (plan === undefined ? state.created.mode : undefined),
    },
    status: "running",
    question: undefined,
    questionId: undefined,
    pauseAsked: false,
    limit: state.limit + extra_steps,
    notices: unanswered
      ? [...state.notices, `You asked "${state.question}" and the person let you go on without an answer: decide yourself and say how.`]
      : state.notices,
  };
}

function waits(state: TaskState, { question, text }: Payload<"task.waits">): TaskState {
  if (state.status === "cancelled") return state;
  const reason = "it waits for an answer";
  return { ...state, status: "escalated", why: "waits_for_answer", reason, question: text, questionId: question, code: undefined };
}

/** As it stood after a step: what was done, said, read and noted since is gone from what the next step is told. */
function rewound(state: TaskState, { step, files }: NonNullable<Payload<"task.undone">["to"]>): TaskState {
  const until = <T extends { step: number }>(list: readonly T[]): T[] => list.filter((one) => one.step <= step);
  const { memory, ledger } = state;
  return {
    ...state,
    status: "paused",
    why: "taken_back",
    reason: `you went back to after step ${step}`,
    pending: undefined,
    current: undefined,
    question: undefined,
    questionId: undefined,
    report: undefined,
    outputs: undefined,
    code: undefined,
    verified: false,
    evidence: undefined,
    verification: undefined,
    changes: state.changes + 1,
    changedFiles: withChanges(state.changedFiles, files, step),
    history: until(state.history),
    ledger: { ...ledger, entries: until(ledger.entries) },
    memory: { ...memory, items: until(memory.items), facts: until(memory.facts), notes: until(memory.notes), ready: [] },
    answers: until(state.answers),
    words: [],
    // Read again it is news again.
    seen: [],
    lastDetail: {},
    invalidInRow: 0,
    standstill: false,
    notices: [`The person went back to how things stood after step ${step}: what came after it is not there any more.`],
  };
}

function undone(state: TaskState, { files, to }: Payload<"task.undone">): TaskState {
  if (to !== undefined) return rewound(state, to);
  return {
    ...state,
    changes: state.changes + 1,
    changedFiles: Object.fromEntries(Object.entries(state.changedFiles).filter(([file]) => !files.includes(file))),
    notices: [...state.notices, `The person took back your changes of ${files.slice(0, 8).join(", ")}.`],
    verified: false,
    evidence: undefined,
    verification: undefined,
    why: "taken_back",
    reason: "its changes were taken back",
    // What it asked was withdrawn with them; going on, it asks anew.
    question: undefined,
    questionId: undefined,
  };
}

function takenBack(state: TaskState, { step, files }: Payload<"task.taken_back">): TaskState {
  if (files.length === 0) return state;
  const names = files.map(({ path }) => path).join(", ");
  return {
    ...state,
    changes: state.changes + 1,
    changedFiles: withChanges(state.changedFiles, files, step),
    notices: [...state.notices, `Your last attempts at ${names} failed and were taken back: read them again.`],
    verification: undefined,
  };
}

function accepted(state: TaskState, { reason }: Payload<"task.accepted">): TaskState {
  const over = { pending: undefined, question: undefined, questionId: undefined, code: undefined };
  return { ...state, ...over, status: "complete", why: "accepted", reason, changedFiles: changedSoFar(state) };
}

function cancelled(state: TaskState, { reason }: Payload<"task.cancelled">): TaskState {
  return {
    ...state,
    status: "cancelled",
    why: "cancelled",
    reason,
    pending: undefined,
    // A change that was under way may have been made; whoever takes the task back must know of it.
    changedFiles: changedSoFar(state),
  };
}

function merged(state: TaskState, { files, combined }: Payload<"task.merged">, at: number): TaskState {
  return { ...state, merging: undefined, merged: { at, files: withMerged(state.merged?.files ?? [], files), combined } };
}

function fold(state: TaskState, event: Exclude<EventIn<"task">, { type: "task.created" }>): TaskState {
  switch (event.type) {
    case "task.stepped":
      return stepped(state, event.payload);
    case "task.intended":
      if (state.pending === undefined) return state;
      return { ...state, pending: { ...state.pending, intended: [...state.pending.intended, event.payload] } };
    case "task.acted":
      return acted(state, event.payload);
    case "task.verified":
      return verified(state, event.payload);
    case "task.reproduced":
      return reproduced(state, event.payload);
    case "task.decided":
      return decided(state, event.payload);
    case "task.answered": {
      const answers = [...state.answers, { step: state.step, text: event.payload.text }];
      return { ...rested(state), answers, status: "running", question: undefined, questionId: undefined };
    }
    case "task.waits":
      return waits(state, event.payload);
    case "task.resumed":
      return resumed(state, event.payload);
    case "task.pause_asked":
      return { ...state, pauseAsked: true };
    case "task.grew":
      return { ...state, profile: event.payload.to, memory: { ...state.memory, limit: itemsOf(event.payload.to) } };
    case "task.advised":
      return { ...state, notices: [...state.notices, event.payload.text] };
    case "task.undone":
      return undone(state, event.payload);
    case "task.taken_back":
      return takenBack(state, event.payload);
    case "task.noticed":
    case "task.stopped":
      return state;
    case "task.kept":
      return { ...state, kept: true };
    case "task.accepted":
      return accepted(state, event.payload);
    case "task.cancelled":
      return cancelled(state, event.payload);
    case "tree.created":
      return { ...state, tree: { id: event.payload.tree, discarded: false } };
    case "task.merge_intended":
      return { ...state, merging: event.payload };
    case "task.merged":
      return merged(state, event.payload, event.at);
    case "task.merge_undone":
      return { ...state, merging: undefined, merged: undefined, why: "taken_back", reason: "its merge was taken back" };
    case "tree.discarded":
      return { ...state, merging: undefined, tree: { id: state.tree?.id ?? "", discarded: true } };
    default:
      return unreachable(event);
  }
}

function rested(state: TaskState): TaskState {
  return state.verification === undefined ? state : { ...state, verification: { ...state.verification, rested: true } };
}

/** How things stand after an action, for those that come after it in the same step. */
export function withResult(
  state: TaskState,
  {
    files = [],
    effects = [],
    tracked,
  }: { files?: readonly RecordedChange[]; effects?: readonly MemoryEffect[]; tracked?: boolean | undefined },
  step: number,
): TaskState {
  const memory = effects.reduce((before, effect) => applyEffect(before, effect), state.memory);
  return { ...state, memory, changedFiles: withChanges(state.changedFiles, files, step, tracked !== undefined) };
}

function acted(state: TaskState, payload: Payload<"task.acted">): TaskState {
  const { action, target, ok, outcome, summary, signature, files, effects, detail, tracked } = payload;
  const { memory, changedFiles } = withResult(state, { files, effects, tracked }, payload.step);
  return {
    ...state,
    current:
      state.current === undefined
        ? undefined
        : {
            ...state.current,
            news: state.current.news === true || payload.news,
            actions: [...state.current.actions, { action, target, ok, outcome, summary, signature, tracked }],
          },
    memory,
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

function decided(state: TaskState, payload: Payload<"task.decided">): TaskState {
  const { step, decision, phase, why, reason, progress, limit, question, question_id: questionId, report, outputs, code, loop } = payload;
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
    // A user's cancel stands, whatever the step that was under way decides.
    status: state.status === "cancelled" ? "cancelled" : status[decision],
    step: Math.max(step, state.step),
    phase,
    limit,
    why,
    reason,
    question,
    questionId,
    report,
    outputs,
    code,
    verified: payload.verified ?? false,
    evidence: payload.evidence,
    toldCannotRun: state.toldCannotRun || why === "checks_cannot_run",
    // Asked for while a step was under way, a pause stands after it.
    pauseAsked: decision === "continue" && state.pauseAsked,
    pending: undefined,
    current: undefined,
    history: [...state.history, ...record].slice(-HISTORY),
    ledger: record.reduce(addToLedger, state.ledger),
    memory: kept,
    dropped: [...state.dropped, ...gone(state.memory, kept, [])],
    standstill: state.standstill || loop !== undefined,
    notices: loop === undefined ? state.notices : [...state.notices, `Standstill noticed: ${loop.advice}.`],
  };
}

export const taskView: View<TaskState> = {
  name: "task",
  version: 19,
  key: (event) => (event.stream.startsWith("task/") ? event.stream : undefined),
  snapshotEvery: 40,
  reduce(state, happened) {
    const event = decode(EVENTS.task, happened);
    if (event?.type === "task.created") return begin(event.payload, event.at);
    if (state === undefined) return undefined;
    return { ...(event === undefined ? state : fold(state, event)), updatedAt: happened.at, stopped: event?.type === "task.stopped" };
  },
};
