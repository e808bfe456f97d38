import { z } from "zod";
import { defineEvent } from "../../src/journal/index.ts";

/** The event type most storage tests write. */
export const noted = defineEvent("contract.noted", z.object({ text: z.string(), blob: z.string().optional() }));
