/**
 * One role asks another: a small task of the asked role that only reads, in the asker's session and place, with the
 * user's words as they are. Question and answer are messages; the task's id and the messages' follow from the call that
 * asks, so that a restart finds them again. By the engine's clock it is over in time, whether it was answered or not.
 */
import { messageOf, sha256, SylkError, withDeadline, type Clock } from "../../kernel/index.ts";
import type { Questions, Store } from "../../journal/index.ts";
import { STREAMS } from "../../protocol/events/index.ts";
import { MESSAGES, type Role } from "../../protocol/index.ts";
import { taskView, type TaskApi, type TaskState } from "../../step/index.ts";
import { expire, fail, messageById, sendMessage, type Message } from "../messages/send-message.ts";
import { answerOf, type Answer } from "./answer-action.ts";
import { REROUTE, type Rerouted } from "./reroute-action.ts";

export interface ConsultParts {
  store: () => Promise<Store>;
  tasks: () => TaskApi;
  questions: Questions;
  roleOf: (id: string) => Role;
  /** The model a role works with when nobody names one. */
  modelOf: (role: Role) => string | undefined;
  /** The person's request, as the beginning of everything that is said about it. */
  requestOf: (session: string) => Promise<Message>;
  clock: Clock;
  timeoutMs: () => number;
  redact: (text: string) => string;
}

export type Asked =
  | { kind: "answered"; answer: Answer; message: Message }
  | { kind: "rerouted"; said: Rerouted; question: Message }
  | { kind: "not_answered"; outcome: "too_late" | "no_answer"; why: string };

/** What is asked, of whom; `after`: the refused question it follows from, and the hop; `chosen`: the person named the role. */
export interface Asking {
  target: string;
  question: string;
  callId: string;
  after?: { question: Message; hop: Message["hops"][number] };
  chosen?: boolean;
}

const MAX_STEPS = 8;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;

/** Who asked, the first one first; empty for a task nobody asked. */
export function askersOf({ inputs }: Pick<TaskState["created"], "inputs">): string[] {
  return (inputs["asked_by"] ?? "").split(", ").filter((role) => role !== "");
}

/** The same for the same call, and right below its asker in every list: a moment older, the rest by the call. */
function consultId(asker: string, callId: string): string {
  const [prefix = "task", rest = ""] = asker.split("_");
  const time = Array.from(rest.slice(0, TIME_CHARS)).reduce((ms, char) => ms * ALPHABET.length + ALPHABET.indexOf(char), 0) - 1;
  const before = Array.from({ length: TIME_CHARS }, (_, at) => ALPHABET[Math.floor(time / 32 ** (TIME_CHARS - 1 - at)) % 32]).join("");
  return `${prefix}_${before}${sha256(callId).slice(0, 16)}`;
}

/** The question that a consulted task answers has its id. */
const messageId = (task: string): string => task.replace(/^[a-z]+_/u, "msg_");

/** Where somebody chose the asker's model by hand, it answers too. */
function modelFor({ roleOf, modelOf }: ConsultParts, asker: TaskState["created"]): string | undefined {
  return asker.model === modelOf(roleOf(asker.role)) ? undefined : asker.model;
}

async function open(parts: ConsultParts, asker: TaskState["created"], id: string, wanted: Asking): Promise<void> {
  const { place } = asker;
  await parts.tasks().create({
    id,
    type: "consult",
    role: wanted.target,
    goal: asker.goal,
    criteria: asker.criteria,
    constraints: asker.constraints,
    checks: [],
    inputs: {
      question: parts.redact(wanted.question),
      asked_by: [...askersOf(asker), asker.role].join(", "),
      ...(wanted.chosen === true ? { [REROUTE.chosen]: "answer it as far as you can" } : {}),
    },
    model: modelFor(parts, asker),
    profile: asker.profile,
    maxSteps: MAX_STEPS,
    session: asker.session,
    sessionUsd: asker.session_usd,
    ...(place.kind === "tree" ? { folder: ".", sharedTree: { id: place.tree, path: place.folder } } : { folder: place.folder }),
  });
}

/** The question as it was sent, or is sent now: it follows from the request, from what its asker was asked, or from a refusal. */
async function sendQuestion(
  parts: ConsultParts,
  store: Store,
  asker: TaskState["created"],
  { id, at, ...wanted }: Asking & { id: string; at: number },
): Promise<Message> {
  const root = await parts.requestOf(asker.session);
  const known = await messageById(store, root.correlation, messageId(id));
  if (known !== undefined) return known;
  const parent = wanted.after?.question ?? (await messageById(store, root.correlation, messageId(asker.id))) ?? root;
  const question = MESSAGES.derive(parent, {
    id: messageId(id),
    from: asker.role,
    to: wanted.target,
    at,
    deadline: at + parts.timeoutMs(),
    body: { kind: "question", question: parts.redact(wanted.question) },
    ...(wanted.after === undefined ? {} : { hop: wanted.after.hop }),
  });
  await sendMessage(store, parent, question, at);
  return question;
}

const ENDED: readonly TaskState["status"][] = ["complete", "cancelled"];

export async function askRole(parts: ConsultParts, asker: TaskState, wanted: Asking, signal: AbortSignal): Promise<Asked> {
  const store = await parts.store();
  const id = consultId(asker.created.id, wanted.callId);
  const look = (): Promise<TaskState | undefined> => store.journal.get(taskView, STREAMS.task(id));
  const now = parts.clock.now();
  const question = await sendQuestion(parts, store, asker.created, { ...wanted, id, at: now });
  const giveUp = async (outcome: "too_late" | "no_answer", why: string): Promise<Asked> => {
    const state = await look();
    if (state !== undefined && !ENDED.includes(state.status)) await parts.tasks().cancel(id, why);
    await (outcome === "too_late"
      ? expire(store, question, parts.clock.now())
      : fail(store, question, "no_answer", why, parts.clock.now()));
    return { kind: "not_answered", outcome, why };
  };
  try {
    const left = Math.max(0, (question.deadline ?? 0) - parts.clock.now());
    const before = await look();
    // Sent before a restart and past its time by now, it is not delivered any more.
    if (left === 0 && question.at !== now && before?.status !== "complete") return await giveUp("too_late", TOO_LONG);
    if (before === undefined) await open(parts, asker.created, id, wanted);
    if ((await look())?.status === "running")
      await withDeadline({ clock: parts.clock, timeoutMs: left, what: `asking ${wanted.target}`, signal }, (until) =>
        parts.tasks().run(id, until),
      );
  } catch (error) {
    if (signal.aborted) {
      // Whoever asked is gone for good: nobody waits for it any more.
      if ((await store.journal.get(taskView, STREAMS.task(asker.created.id)))?.status === "cancelled")
        await giveUp("no_answer", "its asker was stopped");
      throw error;
    }
    if (!SylkError.is(error)) throw error;
    const late = SylkError.is(error, "DEADLINE_PASSED");
    return giveUp(late ? "too_late" : "no_answer", late ? TOO_LONG : messageOf(error));
  }
  const state = await look();
  const said = state === undefined ? undefined : REROUTE.by(state);
  if (said !== undefined) {
    await fail(store, question, "not_mine", said.reason, parts.clock.now());
    return { kind: "rerouted", said, question };
  }
  const answer = state === undefined ? undefined : answerOf(state);
  if (answer === undefined) return giveUp("no_answer", state?.reason ?? "nothing is known of its task");
  const message = await sendAnswer(parts, store, question, answer);
  return message === undefined ? { kind: "not_answered", outcome: "too_late", why: TOO_LONG } : { kind: "answered", answer, message };
}

const TOO_LONG = "it took longer than a consultation may";

/** Undefined: nobody waits for it any more. */
async function sendAnswer(parts: ConsultParts, store: Store, question: Message, answer: Answer): Promise<Message | undefined> {
  const id = `${question.id}/answer`;
  const known = await messageById(store, question.correlation, id);
  if (known !== undefined) return known;
  const { text, sources, confidence, unmet } = answer;
  const message = MESSAGES.reply(question, {
    id,
    at: parts.clock.now(),
    sure: { agent: question.to, confidence, reason: sources.length === 0 ? "it was not found" : sources.join(", ") },
    body: { kind: "answer", answer: text, sources, unmet },
  });
  return (await sendMessage(store, question, message, parts.clock.now())) === "sent" ? message : undefined;
}
