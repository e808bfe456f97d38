/**
 * Puts what a task learnt into its role's memory when it has ended, once. What a process that died at the wrong
 * moment left undone is made up for by the next; that this fails must not keep new work from starting.
 */
import type { Store } from "../journal/index.ts";
import { messageOf, type Log } from "../kernel/index.ts";
import { standsAt, taskView, type TaskState } from "../step/index.ts";
import type { Notice, TaskMemory } from "./task-memory.ts";
import { SYSTEM, taskEvents, taskStream } from "../protocol/events/index.ts";

/** How many tasks back are looked at. */
const LOOKED_BACK = 20;

export interface KeepNotes {
  keep(state: TaskState, signal: AbortSignal): Promise<readonly Notice[]>;
  /** Once per process. */
  makeUp(): Promise<void>;
}

export function createKeepNotes(parts: { store: () => Promise<Store>; memory: TaskMemory; log: Log }): KeepNotes {
  let madeUp: Promise<void> | undefined;
  const keep: KeepNotes["keep"] = async (state, signal) => {
    if (state.kept) return [];
    const notices = await parts.memory.keep(state, signal);
    if (standsAt("ended", state))
      await (
        await parts.store()
      ).journal.append(taskStream(state.created.id), "any", [
        taskEvents.kept.create({ notices: notices.length }, { actor: SYSTEM.engine }),
      ]);
    return notices;
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
