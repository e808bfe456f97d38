/** What happens to the journal itself, on the stream `journal`. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

export const ACCEPTED_STREAM = "journal";

const accepted = defineEvent({
  type: "journal.accepted",
  version: 1,
  schema: z.object({
    reason: z.string().min(1),
    /** What was wrong, as it was found then. */
    problems: z.array(z.object({ kind: z.string(), message: z.string() })),
    /** Where the journal ended. */
    head: z.int().nonnegative(),
  }),
});

/** A user went on from a journal that is not what it was signed to be. */
export const journalEvents = { accepted };
