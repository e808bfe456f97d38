/**
 * One durable ask, on the stream `question/<asker>/<id>`: asked once, then answered, expired or withdrawn,
 * whichever is first. Any process may answer. A secret never stands here: its event says only that it was given.
 */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

/** What a lasting yes keeps. */
const rule = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("command"), value: z.string() }),
  z.object({ kind: z.literal("line"), value: z.string() }),
  z.object({ kind: z.literal("domain"), value: z.string() }),
  z.object({ kind: z.literal("credential"), value: z.string() }),
  z.object({ kind: z.literal("path"), value: z.string(), access: z.enum(["read", "write", "delete"]) }),
]);

const option = z.object({
  value: z.string(),
  label: z.string(),
  hint: z.string().optional(),
  /** What is typed with it: needed, or possible. */
  words: z.enum(["needed", "possible"]).optional(),
});

const permission = z.object({
  kind: z.literal("permission"),
  role: z.string(),
  /** Identity of the act: a refusal of it holds for the run. */
  act: z.string(),
  /** The whole of the command, uncut; absent when it is about something else. */
  line: z.string().optional(),
  cwd: z.string().optional(),
  network: z.array(z.string()),
  reason: z.string(),
  /** A yes does not lift the sandbox it runs in. */
  sandboxed: z.boolean().optional(),
  /** What a lasting yes could keep, narrowest first. */
  offers: z.array(z.array(rule)),
});

const asks = z.discriminatedUnion("kind", [
  permission,
  z.object({ kind: z.literal("choice"), options: z.array(option).min(1) }),
  z.object({ kind: z.literal("text"), placeholder: z.string().optional() }),
  z.object({ kind: z.literal("secret"), /** Whose key is wanted. */ provider: z.string() }),
  z.object({ kind: z.literal("plan"), plan: z.string() }),
  /** A change to approve; `summary` is a line each, `parts` are the whole texts by name. */
  z.object({
    kind: z.literal("diff"),
    summary: z.array(z.string()),
    text: z.string(),
    diff: z.string(),
    parts: z.record(z.string(), z.string()),
  }),
]);
export type QuestionAsk = z.infer<typeof asks>;

const chosen = z.object({ kind: z.literal("chosen"), value: z.string(), words: z.string().optional() });
const said = z.object({ kind: z.literal("said"), text: z.string() });
const answer = z.discriminatedUnion("kind", [chosen, said, /** It is in the credential store. */ z.object({ kind: z.literal("stored") })]);
export type QuestionAnswer = z.infer<typeof answer>;

const asker = z.object({ kind: z.enum(["task", "skill"]), id: z.string() });

const question = z.object({
  id: z.string(),
  /** The run that rests until there is an answer. */
  asker,
  session: z.string(),
  message: z.string(),
  ask: asks,
  /** What counts when nobody answered in time; null: nothing does. */
  fallback: answer.nullable(),
});

const asked = defineEvent({
  type: "question.asked",
  version: 1,
  schema: question.extend({
    /** Counted from the instant it was asked, by the store's clock; null: it waits for ever. */
    deadline_ms: z.int().positive().nullable(),
  }),
});

const answered = defineEvent({ type: "question.answered", version: 1, schema: z.object({ answer }) });
const expired = defineEvent({ type: "question.expired", version: 1, schema: z.object({}) });
const withdrawn = defineEvent({ type: "question.withdrawn", version: 1, schema: z.object({ reason: z.string() }) });

export const questionEvents = { asked, answered, expired, withdrawn };

/** A question and what became of it. */
export const questionState = question.extend({
  status: z.enum(["open", "answered", "expired", "withdrawn"]),
  asked_at: z.int(),
  /** Null: it waits for ever. */
  deadline_at: z.int().nullable(),
  /** The user's, or what counts instead; null: there is none. */
  answer: answer.nullable(),
  ended_at: z.int().nullable(),
});

/** A secret goes to the credential store; the journal learns only that it is there. */
export const givenAnswer = z.discriminatedUnion("kind", [chosen, said, z.object({ kind: z.literal("secret"), value: z.string().min(1) })]);

/** The stream of one question, or with no id the beginning of those of one asker. */
export function questionStream(asker: string, id = ""): string {
  return `question/${asker}/${id}`;
}
