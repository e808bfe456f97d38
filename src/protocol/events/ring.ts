/** A command with phases, on the stream `ring/<kind>/<id>`. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

const opened = defineEvent({ type: "ring.opened", version: 1, schema: z.object({ kind: z.string(), phases: z.int(), capacity: z.int() }) });
const pushed = defineEvent({ type: "ring.pushed", version: 1, schema: z.object({ phase: z.int(), data: z.json(), timestamp: z.int() }) });
const rolledBack = defineEvent({ type: "ring.rolled_back", version: 1, schema: z.object({ phase: z.int() }) });
const closed = defineEvent({ type: "ring.closed", version: 1, schema: z.object({ outcome: z.string() }) });

export const ringEvents = { opened, pushed, rolledBack, closed };
