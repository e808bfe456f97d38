/**
 * What a hook said, from how its program ended. Exit 0: what it printed is read; 2: no, with what it complained;
 * anything else, and anything that cannot be understood, is a failure of the hook and says nothing about the work.
 */
import { z } from "zod";
import { wording } from "../../kernel/index.ts";
import type { RunOutcome } from "../../workspace/index.ts";
import { EVENT_RULES, type HookEvent } from "./hook-events.ts";

export interface HookAnswer {
  kind: "answered";
  /** Why not. */
  block?: string | undefined;
  /** For the agent. */
  context?: string | undefined;
  /** For the user. */
  message?: string | undefined;
  /** Other arguments for the call. */
  input?: Readonly<Record<string, unknown>> | undefined;
}

export type HookHeard = HookAnswer | { kind: "failed"; why: string };

const MAX_ANSWER_CHARS = 64 * 1024;
const MAX_REASON = 600;
const MAX_CONTEXT = 4_000;

const word = z.string().optional();
const input = z.record(z.string(), z.unknown()).optional();
const answerSchema = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: word,
  systemMessage: word,
  decision: z.enum(["block", "approve", "allow", "deny"]).nullish(),
  reason: word,
  additionalContext: word,
  updatedInput: input,
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.enum(["allow", "deny", "ask"]).optional(),
      permissionDecisionReason: word,
      additionalContext: word,
      updatedInput: input,
    })
    .optional(),
});

const failed = (why: string): HookHeard => ({ kind: "failed", why: wording.oneLine(why, 200) });
const cut = (text: string | undefined, max: number): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text.trim().slice(0, max);
const reasonOf = (...texts: (string | undefined)[]): string =>
  wording.oneLine(texts.find((text) => text !== undefined && text.trim() !== "")?.trim() ?? "it gave no reason", MAX_REASON);

export function hookAnswer(event: HookEvent, outcome: RunOutcome): HookHeard {
  switch (outcome.kind) {
    case "timed_out":
      return failed(`it did not end within ${Math.ceil(outcome.durationMs / 1000)} s and was stopped`);
    case "cancelled":
      return failed("it was stopped");
    case "not_started":
      return failed(`it did not start: ${outcome.message}`);
    case "refused":
      return failed(`it may not run: ${outcome.reason}`);
    case "exited":
      break;
  }
  if (outcome.partial || outcome.stdout.length > MAX_ANSWER_CHARS) return failed(`it printed more than ${MAX_ANSWER_CHARS / 1024} KiB`);
  if (outcome.exitCode === 2) return objection(event, reasonOf(outcome.stderr, outcome.stdout));
  if (outcome.exitCode !== 0)
    return failed(`it ended with ${outcome.exitCode ?? outcome.signal}: ${reasonOf(outcome.stderr, outcome.stdout)}`);
  const text = outcome.stdout.trim();
  if (text.startsWith("{")) return fromJson(event, text);
  return { kind: "answered", context: EVENT_RULES[event].textCounts ? cut(text, MAX_CONTEXT) : undefined };
}

/** Where nothing can be stopped any more, it is told to the user. */
function objection(event: HookEvent, reason: string): HookAnswer {
  return EVENT_RULES[event].blocks ? { kind: "answered", block: reason } : { kind: "answered", message: reason };
}

function fromJson(event: HookEvent, text: string): HookHeard {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed("what it printed begins like JSON and is none");
  }
  const parsed = answerSchema.safeParse(value);
  if (!parsed.success) return failed(`its answer cannot be understood: ${wording.issues(parsed.error)}`);
  const said = parsed.data;
  const own = said.hookSpecificOutput;
  const refuses = said.decision === "block" || said.decision === "deny" || own?.permissionDecision === "deny";
  const message = cut(said.systemMessage, MAX_REASON);
  if (refuses || said.continue === false)
    return {
      ...objection(event, reasonOf(own?.permissionDecisionReason, said.reason, said.stopReason)),
      ...(message === undefined ? {} : { message }),
    };
  // Nobody is asked on a hook's behalf, and what it wanted a person to decide is not decided without one.
  if (own?.permissionDecision === "ask")
    return objection(event, `a person should decide this: ${reasonOf(own.permissionDecisionReason, said.reason)}`);
  return {
    kind: "answered",
    context: cut(own?.additionalContext ?? said.additionalContext, MAX_CONTEXT),
    message,
    input: event === "PreToolUse" ? (own?.updatedInput ?? said.updatedInput) : undefined,
  };
}
