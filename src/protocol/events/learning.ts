/** What the user prefers, on the stream `preferences`; what went wrong before, on `mistake/<id>`. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

const said = defineEvent({ type: "preference.set", version: 1, schema: z.object({ key: z.string(), value: z.string() }) });
const observed = defineEvent({
  type: "preference.observed",
  version: 1,
  schema: z.object({ key: z.string(), suggestion: z.string(), response: z.enum(["accepted", "rejected"]), evidence: z.string() }),
});
const forgotten = defineEvent({ type: "preference.forgotten", version: 1, schema: z.object({ key: z.string() }) });

export const preferenceEvents = { set: said, observed, forgotten };

const reportSchema = z.object({
  id: z.string(),
  pattern: z.string(),
  error: z.string(),
  fix: z.string(),
  context: z.string(),
  tags: z.array(z.string()),
  /** Whose work it went wrong in: a request, or the session of a task. */
  session: z.string().optional(),
});

const reported = defineEvent({ type: "mistake.reported", version: 1, schema: reportSchema });
const seen = defineEvent({
  type: "mistake.seen",
  version: 1,
  schema: z.object({ id: z.string(), fix: z.string(), session: z.string().optional() }),
});
const retired = defineEvent({ type: "mistake.retired", version: 1, schema: z.object({ id: z.string(), reason: z.string() }) });

export const mistakeEvents = { reported, seen, retired };
