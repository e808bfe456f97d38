/** What every durable run has in common, on the run's own stream: how it began, its effects, how it ended. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

const opened = defineEvent({
  type: "run.opened",
  version: 1,
  schema: z.object({ kind: z.string(), input: z.json(), parent: z.string().nullable() }),
});

/** The world is about to be changed as planned. */
const effectIntended = defineEvent({ type: "run.effect_intended", version: 1, schema: z.object({ key: z.string(), plan: z.json() }) });
const effectDone = defineEvent({ type: "run.effect_done", version: 1, schema: z.object({ key: z.string(), result: z.json() }) });
/** It cannot be told whether it happened; it is not done again. */
const effectUnknown = defineEvent({ type: "run.effect_unknown", version: 1, schema: z.object({ key: z.string() }) });

const finished = defineEvent({ type: "run.finished", version: 1, schema: z.object({ result: z.json() }) });

export const runEvents = { opened, effectIntended, effectDone, effectUnknown, finished };
