/** Actions on the task's own memory. */
import { z } from "zod";
import { MEMORY_LIMITS, PLAN, type WorkingMemory } from "../../memory/index.ts";
import { fitLines } from "../context/fit-lines.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";
import type { MemoryItem } from "../task-facts.ts";

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
  summary: "Note a finding (300 characters) and the file it rests on.",
  effect: "memory",
  schema: z.object({ subject: z.string().min(1), fact: z.string().min(1) }),
  target: (args) => args.subject,
  execute: (args, { step }) => {
    const over = args.fact.length - MAX_FACT_CHARS;
    const noted = kindOf(args.subject, over > 0 ? `${args.fact.slice(0, MAX_FACT_CHARS - 1)}…` : args.fact);
    if (noted.fix === "")
      return Promise.resolve({
        ok: false,
        outcome: "no_fix",
        summary: "a mistake is noted as `error -> what helped`; the second part is missing",
      });
    return Promise.resolve({
      ok: true,
      outcome: "noted",
      summary: `noted: ${args.subject}${over > 0 ? `; cut after ${MAX_FACT_CHARS} characters, ${over} are lost: note the rest under another subject` : ""}`,
      effects: [{ op: "fact" as const, ...noted, subject: noted.subject.slice(0, 100), confidence: 0.8, step }],
      newsKey: `fact:${args.subject}:${args.fact}`,
    });
  },
});

/** Longer working notes by key. Facts and the plan are shown always, other notes when asked for. */
const scratchpad = defineAction({
  name: "scratchpad",
  summary: "Write or show a note, or all. plan (1,500 characters) is in every step: parts of the goal, [ ] or [x].",
  effect: "memory",
  schema: z.object({ key: z.string().min(1).max(60), note: z.string().optional() }),
  target: (args) => args.key,
  async execute(args, context) {
    const { notes } = context.state.memory;
    return args.note === undefined ? readNote(args.key, context) : writeNote(args.key, args.note, notes, context.step);
  },
});

function writeNote(key: string, note: string, notes: WorkingMemory["notes"], step: number): ActionResult {
  const refuse = (outcome: string, summary: string): ActionResult => ({ ok: false, outcome, summary });
  if (key === "all") return refuse("reserved_key", "`all` means every note; choose another key");
  if (key === PLAN.key) return writePlan(note, step);
  const bytes = Buffer.byteLength(note);
  if (bytes > MEMORY_LIMITS.noteBytes) return refuse("too_long", `a note has at most ${MEMORY_LIMITS.noteBytes} bytes, this one ${bytes}`);
  if (notes.length >= MEMORY_LIMITS.notes && !notes.some((one) => one.key === key))
    return refuse("too_many", `there are ${notes.length} notes already; write an empty one to take it away`);
  return {
    ok: true,
    outcome: "stored",
    summary: note === "" ? `note ${key} taken away` : `note ${key} stored`,
    effects: [{ op: "note", key, text: note, step }],
    newsKey: `note:${key}:${note.slice(0, 200)}`,
  };
}

function writePlan(text: string, step: number): ActionResult {
  const over = text.length - PLAN.chars;
  const kept = over > 0 ? `${text.slice(0, PLAN.chars - 1)}…` : text;
  return {
    ok: true,
    outcome: "stored",
    summary: over > 0 ? `plan cut after ${PLAN.chars} characters: ${over} are lost; make it shorter` : "plan rewritten",
    effects: [{ op: "note", key: PLAN.key, text: kept, step }],
    newsKey: `note:plan:${kept.slice(0, 200)}`,
  };
}

async function readNote(key: string, { state, blobs, step, profile }: ActionContext): Promise<ActionResult> {
  const wanted = state.memory.notes.filter((note) => key === "all" || note.key === key);
  if (wanted.length === 0) {
    const known = state.memory.notes.map((note) => note.key).join(", ");
    return { ok: false, outcome: "unknown_key", summary: `there is no note ${key}${known === "" ? "" : `; there are: ${known}`}` };
  }
  const lines = wanted.flatMap((note) => [`[${note.key}]`, ...note.text.split("\n")]);
  const fitting = Math.max(1, fitLines(lines, profile.page));
  const rest = lines.length - fitting;
  const item: MemoryItem = {
    key: `note:${key}`,
    kind: "note",
    title: `your note${wanted.length === 1 ? "" : "s"} ${wanted.map((note) => note.key).join(", ")}`,
    content: await blobs.put(
      [...lines.slice(0, fitting), ...(rest > 0 ? [`and ${rest} more lines: ask for one note by its key`] : [])].join("\n"),
    ),
    pinned: false,
    step,
  };
  return { ok: true, outcome: "shown", summary: item.title, effects: [{ op: "put", item }] };
}

export const memoryActions: readonly Action[] = [noteFact, scratchpad];
