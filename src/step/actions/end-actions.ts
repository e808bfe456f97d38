/** Actions that end the turn. Whether `complete` is granted is decided by verification, not here. */
import { z } from "zod";
import { defineAction, type Action, type EndKind } from "./action.ts";

const end = (name: EndKind, summary: string, field: string): Action =>
  defineAction<Record<string, string>>({
    name,
    summary,
    effect: "none",
    ends: name,
    schema: z.object({ [field]: z.string().min(1) }),
    target: () => "",
    execute: (args) => Promise.resolve({ ok: true, outcome: name, summary: args[field] ?? "", detail: args[field] ?? "" }),
  });

export const endActions: readonly Action[] = [
  end("ask_user", "Ask the person.", "question"),
  end("escalate", "Stuck: why.", "reason"),
  end("complete", "Done: the report.", "summary"),
];
