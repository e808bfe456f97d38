/** What roles say to each other about a request, on the stream `message/<request>`, and what becomes of it. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { message } from "../message.ts";
import { defineEvent } from "./define-event.ts";

/** Frozen: nothing of it is ever changed. */
const sent = defineEvent({ type: "message.sent", version: 1, schema: z.object({ message }) });
/** It answers something nobody waits for (any more): nobody gets it. */
const dropped = defineEvent({ type: "message.dropped", version: 1, schema: z.object({ message, why: z.string() }) });
/** Past its deadline without an answer; whoever asked gets a failure. */
const expired = defineEvent({
  type: "message.expired",
  version: 1,
  schema: z.object({ id: z.string(), from: z.string(), to: z.string(), question: z.string() }),
});
/** What whoever asked makes of an answer: how sure all of it is together, what it leaves unmet, how to go on. */
const weighed = defineEvent({
  type: "message.weighed",
  version: 1,
  schema: z.object({
    id: z.string(),
    by: z.string(),
    decision: z.enum(CHOICES.answerDecision),
    cumulative: z.number(),
    least: z.number(),
    unmet_constraints: z.array(z.string()),
    rationale: z.string(),
  }),
});

export const messageEvents = { sent, dropped, expired, weighed };

export function messageStream(request: string): string {
  return `message/${request}`;
}
