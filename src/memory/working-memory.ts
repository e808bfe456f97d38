/**
 * What a task keeps in view (CTX-016): as many items as its profile says, first in first out, pinned ones stay. Pure
 * functions over plain values; the journal carries the effects, so the memory survives a restart.
 */
import { must } from "../kernel/index.ts";
import type { Payload } from "../protocol/events/index.ts";

type MemoryEffect = Payload<"task.acted">["effects"][number];
type MemoryItem = Extract<MemoryEffect, { op: "put" }>["item"];

interface Fact {
  subject: string;
  text: string;
  confidence: number;
  step: number;
  kind?: "preference" | "mistake" | undefined;
  fix?: string | undefined;
}

/** The agent's own keyed notes: kept as long as the task, shown when asked for. */
interface Note {
  key: string;
  text: string;
  createdStep: number;
  step: number;
}

export interface WorkingMemory {
  items: MemoryItem[];
  facts: Fact[];
  notes: Note[];
  /** How many items are kept in view. */
  limit: number;
  /** Edits that can be applied without being sent again. */
  ready: ReadyEdits;
}

type ReadyEdits = Extract<MemoryEffect, { op: "ready" }>["edits"];

export const MEMORY_LIMITS = { items: 5, facts: 40, expiresAfter: 3, notes: 100, noteBytes: 4_096 } as const;

/** This note is the plan: shown in every step, so it is short. */
export const PLAN = { key: "plan", chars: 1_500 } as const;

export const emptyMemory: WorkingMemory = { items: [], facts: [], notes: [], limit: MEMORY_LIMITS.items, ready: [] };

/** Lists and results that can be had again go before pages of files; nothing goes that came in the same step. */
function worthOf(item: MemoryItem, step: number): number {
  if (item.step >= step) return 2;
  return item.source === undefined && item.kind !== "note" ? 0 : 1;
}

/**
 * A new item takes the place of the one it displaces, so that what stands before it keeps its place:
 * the beginning of the context then stays the same from step to step and can be cached.
 */
function put({ items, limit }: WorkingMemory, item: MemoryItem): MemoryItem[] {
  const same = items.findIndex((other) => other.key === item.key);
  if (same !== -1) return items.with(same, { ...item, pinned: item.pinned || items[same]?.pinned === true });
  if (items.length < limit) return [...items, item];
  const free = items
    .map((other, at) => ({ at, step: other.step, pinned: other.pinned, worth: worthOf(other, item.step) }))
    .filter((other) => !other.pinned);
  const oldest = free.toSorted((x, y) => x.worth - y.worth || x.step - y.step || x.at - y.at)[0];
  return oldest === undefined ? [...items] : items.with(oldest.at, item);
}

/** Whether one more item may be pinned; one place always stays free for what is new. */
export function canPin(memory: WorkingMemory, key: string): boolean {
  const pinned = memory.items.filter((item) => item.pinned && item.key !== key).length;
  return pinned < memory.limit - 1;
}

/** Newest statement about a subject wins (CTX-017). */
function addFact(facts: readonly Fact[], fact: Fact): Fact[] {
  const kept = facts.filter((other) => other.subject !== fact.subject);
  const next = [...kept, fact];
  if (next.length > MEMORY_LIMITS.facts)
    next.splice(next.indexOf(must(next.toSorted((a, b) => a.confidence - b.confidence || a.step - b.step)[0])), 1);
  return next;
}

function putNote(notes: readonly Note[], { key, text, step }: { key: string; text: string; step: number }): Note[] {
  const at = notes.findIndex((note) => note.key === key);
  if (text === "") return notes.filter((note) => note.key !== key);
  return at === -1 ? [...notes, { key, text, createdStep: step, step }] : notes.with(at, { ...must(notes[at]), text, step });
}

export function applyEffect(memory: WorkingMemory, effect: MemoryEffect): WorkingMemory {
  switch (effect.op) {
    case "put":
      return { ...memory, items: put(memory, effect.item) };
    case "pin":
      return { ...memory, items: memory.items.map((item) => (item.key === effect.key ? { ...item, pinned: true } : item)) };
    case "clear":
      return {
        ...memory,
        items: effect.key === "all" ? memory.items.filter((item) => item.pinned) : memory.items.filter((item) => item.key !== effect.key),
      };
    case "ready":
      return { ...memory, ready: effect.edits };
    case "note":
      return { ...memory, notes: putNote(memory.notes, effect) };
    case "fact": {
      const { op: _op, ...fact } = effect;
      return { ...memory, facts: addFact(memory.facts, fact) };
    }
  }
}

/** Takes out what has been in view long enough. */
export function expire(memory: WorkingMemory, step: number): WorkingMemory {
  return {
    ...memory,
    items: memory.items.filter((item) => item.pinned || item.expiresAfter === undefined || step - item.step <= item.expiresAfter),
  };
}
