/**
 * One durable ask, on the stream `question/<asker>/<id>`: asked once, then answered, expired or withdrawn,
 * whichever is first. Any process may answer. A secret never stands here: its event says only that it was given.
 */
import { z } from "zod";
import { answer, question } from "../question.ts";
import { defineEvent } from "./define-event.ts";

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

/** The stream of one question, or with no id the beginning of those of one asker. */
export function questionStream(asker: string, id = ""): string {
  return `question/${asker}/${id}`;
}
