/** Every change of a sidecar, with checksums and content, and every loading of one, on the stream `memory/<agent>` (SID-009). */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

const saved = defineEvent({
  type: "memory.saved",
  version: 1,
  schema: z.object({
    agent: z.string(),
    file: z.string(),
    /** SHA-256; null when the file did not exist. */
    before: z.string().nullable(),
    after: z.string(),
    /** The whole file afterwards, as a blob. */
    content: z.string(),
    reason: z.enum(["saved", "edited_by_hand", "refreshed", "archived", "restored", "cleaned"]),
    entries: z.int(),
    note: z.string(),
  }),
});

/** What was loaded for a task, so that it can be told later what has changed since (XRF-008). */
const loaded = defineEvent({
  type: "memory.loaded",
  version: 1,
  schema: z.object({
    agent: z.string(),
    load: z.string(),
    decisions: z.int(),
    references: z.array(z.object({ agent: z.string(), file: z.string(), mode: z.string(), sha256: z.string(), tokens: z.int() })),
    downgrades: z.array(z.string()),
    /** What is wrong with the matrix or with what was read. */
    warnings: z.array(z.string()).default([]),
    stale: z.array(z.string()),
    tokens: z.int(),
  }),
});

export const memoryEvents = { saved, loaded };

export function memoryStream(agent: string): string {
  return `memory/${agent}`;
}
