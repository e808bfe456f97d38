/** Actions that end the turn. Whether `complete` is granted is decided by verification, not here. */
import { z } from "zod";
import type { TaskType } from "../task-type.ts";
import type { EndKind } from "../task-facts.ts";
import { defineAction, type Action } from "./action.ts";

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

/** Lines one output may have. */
const MAX_LINES = 200;
const shaped = new WeakMap<object, Action>();

/** `complete` with what tasks of this type hand over beside their report; any other action as it is. */
export function shapedFor(action: Action, outputs: TaskType["outputs"]): Action {
  if (action.ends !== "complete" || Object.keys(outputs).length === 0) return action;
  const known = shaped.get(outputs);
  if (known !== undefined) return known;
  const fields = Object.entries(outputs).map(([name, { is, required }]) => {
    const field = is === "text" ? z.string().min(1) : z.array(z.string().min(1)).max(MAX_LINES);
    return [name, required ? field : field.optional()] as const;
  });
  const made = defineAction<{ summary: string } & Record<string, string | string[] | undefined>>({
    ...action,
    schema: z.object({ summary: z.string().min(1), ...Object.fromEntries(fields) }),
    target: () => "",
    execute: ({ summary, ...rest }) => {
      const handed = Object.fromEntries(Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
      return Promise.resolve({ ok: true, outcome: action.name, summary, detail: summary, outputs: handed });
    },
  });
  shaped.set(outputs, made);
  return made;
}

const askUser = end("ask_user", "Ask the person.", "question");
/** Where others can be asked first it is said what nobody could look up: only the person can prefer it. */
const askOfTeam: Action = { ...askUser, schema: z.object({ question: z.string().min(1), preference: z.boolean().optional() }) };

export const endActions: readonly Action[] = [
  { ...askOfTeam, shownTo: ({ consults }) => (consults.length === 0 ? askUser : askOfTeam) },
  end("escalate", "Give up: why.", "reason"),
  end("complete", "Finish: report.", "summary"),
];
