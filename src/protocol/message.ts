/**
 * What one role says to another: one shape for a question, its answer, a failure and corrections. Whatever follows from
 * a message is made by `derive` or `reply`, so that intent, confidence and hops come along by construction; a message
 * is frozen, and its chains only grow.
 */
import { z } from "zod";
import { correction, gate } from "./correction.ts";

/** How sure somebody is, and why. */
const confidence = z.object({ agent: z.string(), confidence: z.number().min(0).max(1), reason: z.string() });
/** Who sent it on, why, and to whom. */
const hop = z.object({ from: z.string(), reason: z.string(), to: z.string() });

const corrections = z.object({ kind: z.literal("corrections"), corrections: z.array(correction).min(1) });

const body = z.discriminatedUnion("kind", [
  /** What the person asked for, as it stands at the beginning of every chain. */
  z.object({ kind: z.literal("request") }),
  z.object({ kind: z.literal("question"), question: z.string() }),
  z.object({ kind: z.literal("answer"), answer: z.string(), sources: z.array(z.string()), unmet: z.array(z.string()) }),
  /** Instead of an answer: it came too late, nobody had one, or it belongs to somebody else. */
  z.object({ kind: z.literal("failure"), code: z.enum(["expired", "no_answer", "not_mine"]), why: z.string() }),
  corrections,
]);

/** More entries than this are a mistake. */
const MAX_CHAIN = 64;

export const message = z.object({
  id: z.string(),
  /** Groups what was asked first with everything that follows from it. */
  correlation: z.string(),
  /** What directly caused it; null: nothing did. */
  parent: z.string().nullable(),
  session: z.string(),
  from: z.string(),
  to: z.string(),
  /** Where the person's words, limits and criteria are read, and which revision held when it was sent. */
  intent: z.object({ request: z.string(), revision: z.int() }),
  at: z.int(),
  /** Unanswered past it, whoever asked gets a failure; null: it only tells. */
  deadline: z.int().nullable(),
  confidence: z.array(confidence).max(MAX_CHAIN),
  hops: z.array(hop).max(MAX_CHAIN),
  body,
});
/** What goes back to whoever works on something. */
export const correctionsMessage = message.extend({ body: corrections });
type Message = Readonly<z.infer<typeof message>>;
type Body = Message["body"];
type Sure = Message["confidence"][number];
type Hop = Message["hops"][number];

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

const made = (fields: z.input<typeof message>): Message => frozen(message.parse(fields));

/** The beginning of a chain: the person's request. */
function request(about: { request: string; revision: number; at: number; sure: readonly Sure[] }): Message {
  const { request: id, revision, at, sure } = about;
  return made({
    id,
    correlation: id,
    parent: null,
    session: id,
    from: "user",
    to: "guide",
    intent: { request: id, revision },
    at,
    deadline: null,
    confidence: [...sure],
    hops: [],
    body: { kind: "request" },
  });
}

type Next = { id: string; from: string; to: string; at: number; deadline?: number; body: Body; sure?: Sure; hop?: Hop };

/** A message that follows from another one. */
function derive(parent: Message, next: Next): Message {
  return made({
    id: next.id,
    correlation: parent.correlation,
    parent: parent.id,
    session: parent.session,
    from: next.from,
    to: next.to,
    intent: parent.intent,
    at: next.at,
    deadline: next.deadline ?? null,
    confidence: next.sure === undefined ? parent.confidence : [...parent.confidence, next.sure],
    hops: next.hop === undefined ? parent.hops : [...parent.hops, next.hop],
    body: next.body,
  });
}

/** An answer or a failure, to whoever asked. */
const reply = (request: Message, next: Pick<Next, "id" | "at" | "body" | "sure">): Message =>
  derive(request, { ...next, from: request.to, to: request.from });

const startsWith = (chain: readonly object[], before: readonly object[]): boolean =>
  before.every((entry, at) => JSON.stringify(chain[at]) === JSON.stringify(entry));

/** What is wrong with a message as the child of another; undefined: its chains only grew. */
function chainProblem(parent: Message, child: Message): string | undefined {
  if (child.parent !== parent.id || child.correlation !== parent.correlation) return "it does not follow from its parent";
  if (child.session !== parent.session || JSON.stringify(child.intent) !== JSON.stringify(parent.intent))
    return "it does not carry the intent of its parent";
  if (!startsWith(child.confidence, parent.confidence)) return "its confidence chain was changed, not added to";
  return startsWith(child.hops, parent.hops) ? undefined : "its hops were changed, not added to";
}

/** How roles speak: nothing else makes a message. */
export const MESSAGES = { gate, request, derive, reply, chainProblem } as const;
