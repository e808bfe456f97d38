/**
 * One role asks another: a small task of the asked role that only reads, in the asker's session and place, with the
 * user's words as they are. Its id follows from the call that asks, so that a restart finds it again; by the engine's
 * clock it is over in time, whether it was answered or not.
 */
import { messageOf, sha256, SylkError, withDeadline, type Clock } from "../../kernel/index.ts";
import type { Store } from "../../journal/index.ts";
import { STREAMS } from "../../protocol/events/index.ts";
import type { Role } from "../../protocol/index.ts";
import { taskView, type TaskApi, type TaskState } from "../../step/index.ts";
import { answerOf, type Answer } from "./answer-action.ts";

export interface ConsultParts {
  store: () => Promise<Store>;
  tasks: () => TaskApi;
  roleOf: (id: string) => Role;
  /** The model a role works with when nobody names one. */
  modelOf: (role: Role) => string | undefined;
  clock: Clock;
  timeoutMs: () => number;
  redact: (text: string) => string;
}

export type Asked = { kind: "answered"; answer: Answer } | { kind: "not_answered"; outcome: "too_late" | "no_answer"; why: string };

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

/** Where somebody chose the asker's model by hand, it answers too. */
function modelFor({ roleOf, modelOf }: ConsultParts, asker: TaskState["created"]): string | undefined {
  return asker.model === modelOf(roleOf(asker.role)) ? undefined : asker.model;
}

async function open(
  parts: ConsultParts,
  asker: TaskState["created"],
  wanted: { id: string; target: string; question: string },
): Promise<void> {
  const { place } = asker;
  await parts.tasks().create({
    id: wanted.id,
    type: "consult",
    role: wanted.target,
    goal: asker.goal,
    criteria: asker.criteria,
    constraints: asker.constraints,
    checks: [],
    inputs: { question: parts.redact(wanted.question), asked_by: [...askersOf(asker), asker.role].join(", ") },
    model: modelFor(parts, asker),
    profile: asker.profile,
    maxSteps: MAX_STEPS,
    session: asker.session,
    sessionUsd: asker.session_usd,
    ...(place.kind === "tree" ? { folder: ".", sharedTree: { id: place.tree, path: place.folder } } : { folder: place.folder }),
  });
}

const ENDED: readonly TaskState["status"][] = ["complete", "cancelled"];

export async function askRole(
  parts: ConsultParts,
  asker: TaskState,
  { target, question, callId }: { target: string; question: string; callId: string },
  signal: AbortSignal,
): Promise<Asked> {
  const { journal } = await parts.store();
  const id = consultId(asker.created.id, callId);
  const look = (): Promise<TaskState | undefined> => journal.get(taskView, STREAMS.task(id));
  const giveUp = async (outcome: "too_late" | "no_answer", why: string): Promise<Asked> => {
    const state = await look();
    if (state !== undefined && !ENDED.includes(state.status)) await parts.tasks().cancel(id, why);
    return { kind: "not_answered", outcome, why };
  };
  try {
    if ((await look()) === undefined) await open(parts, asker.created, { id, target, question });
    const begun = await look();
    if (begun?.status === "running") {
      const left = Math.max(0, begun.createdAt + parts.timeoutMs() - parts.clock.now());
      await withDeadline({ clock: parts.clock, timeoutMs: left, what: `asking ${target}`, signal }, (until) =>
        parts.tasks().run(id, until),
      );
    }
  } catch (error) {
    if (signal.aborted) {
      // Whoever asked is gone for good: nobody waits for it any more.
      if ((await journal.get(taskView, STREAMS.task(asker.created.id)))?.status === "cancelled")
        await giveUp("no_answer", "its asker was stopped");
      throw error;
    }
    if (!SylkError.is(error)) throw error;
    const late = SylkError.is(error, "DEADLINE_PASSED");
    return giveUp(late ? "too_late" : "no_answer", late ? "it took longer than a consultation may" : messageOf(error));
  }
  const state = await look();
  const answer = state === undefined ? undefined : answerOf(state);
  return answer === undefined ? giveUp("no_answer", state?.reason ?? "nothing is known of its task") : { kind: "answered", answer };
}
