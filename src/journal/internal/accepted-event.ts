/** A person went on from a journal that is not what it was signed to be. */
import { z } from "zod";
import { defineEvent } from "../event-types.ts";

export const ACCEPTED_STREAM = "journal";

export const journalAccepted = defineEvent(
  "journal.accepted",
  z.object({
    reason: z.string().min(1),
    /** What was wrong, as it was found then. */
    problems: z.array(z.object({ kind: z.string(), message: z.string() })),
    /** Where the journal ended. */
    head: z.int().nonnegative(),
  }),
);
