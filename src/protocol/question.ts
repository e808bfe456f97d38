/** What a question is, what it may be answered with, and how it is shown. */
import { z } from "zod";

/** What a lasting yes keeps. */
const rule = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("command"), value: z.string() }),
  z.object({ kind: z.literal("line"), value: z.string() }),
  z.object({ kind: z.literal("domain"), value: z.string() }),
  z.object({ kind: z.literal("tool"), value: z.string() }),
  z.object({ kind: z.literal("credential"), value: z.string() }),
  z.object({ kind: z.literal("path"), value: z.string(), access: z.enum(["read", "write", "delete"]) }),
]);

const option = z.object({
  value: z.string(),
  label: z.string(),
  hint: z.string().optional(),
  /** What is typed with it: needed, possible, or an amount above 0, which alone is enough to choose it. */
  words: z.enum(["needed", "possible", "amount"]).optional(),
});

const permission = z.object({
  kind: z.literal("permission"),
  role: z.string(),
  /** Identity of the act: a refusal of it holds for the run. */
  act: z.string(),
  /** The whole of the command or call, uncut; absent when it is about something else. */
  line: z.string().optional(),
  cwd: z.string().optional(),
  network: z.array(z.string()),
  reason: z.string(),
  /** Of a change of a file: what it would do, as a unified diff. */
  diff: z.string().optional(),
  /** A yes does not lift the sandbox it runs in. */
  sandboxed: z.boolean().optional(),
  /** What a lasting yes could keep, narrowest first. */
  offers: z.array(z.array(rule)),
});

const asks = z.discriminatedUnion("kind", [
  permission,
  z.object({
    kind: z.literal("choice"),
    options: z.array(option).min(1),
    /** What it is about, as a unified diff; shown whole when it is asked for. */
    diff: z.string().optional(),
  }),
  z.object({ kind: z.literal("text"), placeholder: z.string().optional() }),
  z.object({ kind: z.literal("secret"), /** Whose key is wanted. */ provider: z.string() }),
  z.object({
    kind: z.literal("plan"),
    plan: z.string(),
    /** What can be taken out of it by one word. */
    removable: z.array(z.object({ id: z.string(), text: z.string() })).optional(),
    /** Commands nobody allowed yet, which approving it allows. */
    allows: z.array(z.string()).optional(),
  }),
  /** A change to approve; `summary` is a line each, `parts` are the whole texts by name. */
  z.object({
    kind: z.literal("diff"),
    summary: z.array(z.string()),
    text: z.string(),
    diff: z.string(),
    parts: z.record(z.string(), z.string()),
  }),
]);

const chosen = z.object({ kind: z.literal("chosen"), value: z.string(), words: z.string().optional() });
const said = z.object({ kind: z.literal("said"), text: z.string() });
export const answer = z.discriminatedUnion("kind", [
  chosen,
  said,
  /** It is in the credential store. */ z.object({ kind: z.literal("stored") }),
]);

const asker = z.object({ kind: z.enum(["task", "skill", "request", "pipeline"]), id: z.string() });

export const question = z.object({
  id: z.string(),
  /** The run that rests until there is an answer. */
  asker,
  session: z.string(),
  message: z.string(),
  ask: asks,
  /** What counts when nobody answered in time; null: nothing does. */
  fallback: answer.nullable(),
});

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

export type Question = z.infer<typeof questionState>;
export type QuestionAnswer = z.infer<typeof answer>;
