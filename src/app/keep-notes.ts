/**
 * Puts what a task learnt into its role's memory when it has ended, once. What a process that died at the wrong
 * moment left undone is made up for by the next; that this fails must not keep new work from starting.
 */
import { owning, type Store } from "../journal/index.ts";
import { isSylkError, messageOf, type Clock, type Log } from "../kernel/index.ts";
import { standsAt, taskView, type TaskState } from "../step/index.ts";
import type { Notice, TaskMemory } from "./task-memory.ts";
import { SYSTEM, taskEvents, taskStream } from "../protocol/events/index.ts";

/** How many tasks back are looked at. */
const LOOKED_BACK = 20;

const OTHERS = new Set(["RUN_TAKEN", "RUN_LOST", "JOURNAL_FENCED"]);

export interface KeepNotes {
  keep(state: TaskState, signal: AbortSignal): Promise<readonly Notice[]>;
  /** Once per process. */
  makeUp(): Promise<void>;
}

export function createKeepNotes(parts: { store: () => Promise<Store>; memory: TaskMemory; log: Log; clock: Clock }): KeepNotes {
  let madeUp: Promise<void> | undefined;
  const keep: KeepNotes["keep"] = async (state, signal) => {
    if (state.kept) return [];
    const { journal, work } = await parts.store();
    const key = taskStream(state.created.id);
    try {
      return await owning({ work, clock: parts.clock }, key, { signal }, async ({ fence }) => {
        const now = await journal.get(taskView, key);
        if (now === undefined || now.kept) return [];
        const notices = await parts.memory.keep(now, signal);
        const kept = taskEvents.kept.create({ notices: notices.length }, { actor: SYSTEM.engine });
        if (standsAt("ended", now)) await journal.append(key, "any", [kept], fence);
        return notices;
      });
    } catch (error) {
      // Another process has the task, or took it over meanwhile, and keeps it.
      if (isSylkError(error) && OTHERS.has(error.code)) return [];
      throw error;
    }
  };
  const makeUp = async (): Promise<void> => {
    const { journal, work } = await parts.store();
    for (const { key, state } of await journal.list(taskView, { prefix: "task/", reverse: true, limit: LOOKED_BACK })) {
      if (state.kept || !standsAt("ended", state) || (await work.holder(key)) !== undefined) continue;
      try {
        await keep(state, new AbortController().signal);
      } catch (error) {
        parts.log.warn("what a task learnt was not kept", { task: state.created.id, reason: messageOf(error) });
      }
    }
  };
  return { keep, makeUp: () => (madeUp ??= makeUp()) };
}
