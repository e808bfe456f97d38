/** Of what happened and of what happens, the part somebody wants to hear. */
import { z } from "zod";

export const eventFilter = z.strictObject({
  /** A stream name, or a prefix ending in `/`. */
  stream: z.string().optional(),
  types: z.array(z.string()).optional(),
  /** Without the records of who was permitted what. */
  without_audit: z.boolean().optional(),
  /**
   * Where it ends: at a position, or when the task whose stream this is rests or nobody runs it any more. Absent:
   * it goes on with what happens.
   */
  until: z.union([z.int().min(0), z.literal("rest")]).optional(),
});

export const liveFilter = z.strictObject({
  task: z.string().optional(),
  /** Only progress about this; `watch` is what a watched index takes in. */
  about: z.string().optional(),
});
