import { z } from "zod";
import { defineEvent } from "../../src/protocol/events/define-event.ts";

/** The event type most storage tests write. */
export const noted = defineEvent({
  type: "contract.noted",
  version: 1,
  schema: z.object({ text: z.string(), blob: z.string().optional() }),
});
