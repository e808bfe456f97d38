/** A journal event as surfaces and exports see it: wire names, plain JSON. */
import { z } from "zod";

export const wireEvent = z.object({
  position: z.int().positive(),
  stream: z.string(),
  seq: z.int().positive(),
  id: z.string(),
  type: z.string(),
  /** Milliseconds since the epoch. */
  at: z.int(),
  actor: z.string(),
  causation_id: z.string().nullable(),
  correlation_id: z.string().nullable(),
  payload: z.json(),
  prev_hash: z.string(),
  hash: z.string(),
});
export type WireEvent = z.infer<typeof wireEvent>;
