/** Actions on the task's own memory. */
import { z } from "zod";
import { canPin, MEMORY_LIMITS } from "../../memory/index.ts";
import { defineAction, type Action } from "./action.ts";

const pinContext = defineAction({
  name: "pin_context",
  summary: "Keep an item in view.",
  kind: "memory",
  schema: z.object({ key: z.string() }),
  target: (args) => args.key,
  execute(args, { state }) {
    if (!state.memory.items.some((item) => item.key === args.key))
      return Promise.resolve({ ok: false, outcome: "unknown_key", summary: `nothing in view has the key ${args.key}` });
    if (!canPin(state.memory, args.key))
      return Promise.resolve({
        ok: false,
        outcome: "too_many_pinned",
        summary: `at most ${MEMORY_LIMITS.items - 1} items can be pinned; clear one first`,
      });
    return Promise.resolve({
      ok: true,
      outcome: "pinned",
      summary: `pinned ${args.key}`,
      effects: [{ op: "pin" as const, key: args.key }],
    });
  },
});

const clearContext = defineAction({
  name: "clear_context",
  summary: "Drop an item from view (key or all).",
  kind: "memory",
  schema: z.object({ key: z.string() }),
  target: (args) => args.key,
  execute: (args, { state }) =>
    Promise.resolve(
      args.key === "all" || state.memory.items.some((item) => item.key === args.key)
        ? { ok: true, outcome: "cleared", summary: `cleared ${args.key}`, effects: [{ op: "clear" as const, key: args.key }] }
        : { ok: false, outcome: "unknown_key", summary: `nothing in view has the key ${args.key}` },
    ),
});

const MAX_FACT_CHARS = 300;

/** A subject may say what is noted: `preference:code_style.quotes` or `mistake:what was tried`, its fact then `error -> fix`. */
function kindOf(subject: string, fact: string): { subject: string; text: string; kind?: "preference" | "mistake"; fix?: string } {
  const [, kind, rest = ""] = /^(preference|mistake):\s*(.+)$/s.exec(subject) ?? [];
  if (kind === "preference") return { subject: rest, text: fact, kind };
  if (kind !== "mistake") return { subject, text: fact };
  const [error = "", ...fix] = fact.split(/\s*(?:->|→)\s*/);
  return { subject: rest, text: error, kind, fix: fix.join(" ") };
}

const noteFact = defineAction({
  name: "note_fact",
  summary: "Remember a finding (300 characters).",
  kind: "memory",
  schema: z.object({ subject: z.string().min(1), fact: z.string().min(1) }),
  target: (args) => args.subject,
  execute: (args, { step }) => {
    if (args.fact.length > MAX_FACT_CHARS) {
      return Promise.resolve({
        ok: false,
        outcome: "too_long",
        summary: `a fact has at most ${MAX_FACT_CHARS} characters, this one ${args.fact.length}: split it`,
      });
    }
    const noted = kindOf(args.subject, args.fact);
    if (noted.fix === "")
      return Promise.resolve({
        ok: false,
        outcome: "no_fix",
        summary: "a mistake is noted as `error -> what helped`; the second part is missing",
      });
    return Promise.resolve({
      ok: true,
      outcome: "noted",
      summary: `noted: ${args.subject}`,
      effects: [{ op: "fact" as const, ...noted, subject: noted.subject.slice(0, 100), confidence: 0.8, step }],
      newsKey: `fact:${args.subject}:${args.fact}`,
    });
  },
});

export const memoryActions: readonly Action[] = [pinContext, clearContext, noteFact];
