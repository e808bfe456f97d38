/** Why a task stands where it stands, as something code may look at. The reason beside it is for people. */
import { z } from "zod";
import type { Json } from "../../kernel/index.ts";
import { CHOICES } from "../choices.ts";

export const decidedWhy = z.enum(CHOICES.decidedWhy);
type DecidedWhy = z.infer<typeof decidedWhy>;

/** Version 1 told it in words only. */
export function whyOf({ decision, reason, code }: Record<string, Json>): DecidedWhy {
  const words = typeof reason === "string" ? reason : "";
  switch (decision) {
    case "complete":
      return "done";
    case "paused":
      return code === "PAUSED" ? "user_pauses" : "model_unavailable";
    case "failed":
      return "failed";
    case "escalate":
      if (words === "the agent asks") return "agent_asks";
      if (words === "the agent cannot go on") return "agent_gives_up";
      if (code === "STEP_BUDGET") return "steps_used_up";
      if (/^(?:stuck|halted): /u.test(words)) return "monitor_stops";
      return words.includes("answers in a row could not be used") ? "unusable_answers" : "no_way_forward";
    default:
      return "goes_on";
  }
}
