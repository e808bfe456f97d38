/** How the Guide says what a request is. What follows from it is decided by rules, not here. */
import type { z } from "zod";
import { PLAN } from "../../protocol/plan/index.ts";
import { defineAction } from "../../step/index.ts";

export const classifyAction = defineAction<z.infer<typeof PLAN.reading>>({
  name: "classify",
  summary: "Say what the request is, how sure you are (0 to 1), and how else it could be meant. Ends the task.",
  effect: "none",
  ends: "complete",
  schema: PLAN.reading,
  target: () => "",
  execute: (reading) =>
    Promise.resolve({
      ok: true,
      outcome: "complete",
      summary: `${reading.kind}: ${reading.reading}`,
      outputs: { reading: JSON.stringify(reading) },
    }),
});
