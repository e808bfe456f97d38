/** What the goal monitor saw. */
import { z } from "zod";
import { defineCall, none } from "./define-call.ts";

export const commands = {};

export const queries = {
  "goal.stats": defineCall(none, z.array(z.strictObject({ type: z.string(), seen: z.int(), worked: z.int(), failed: z.int() }))),
};
