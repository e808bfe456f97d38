/**
 * Which process holds what. A hold is announced before anything is taken, so that whoever comes
 * later can give back what a dead process left behind. Given back once: the event is the proof.
 */
import { z } from "zod";
import { isHolderDead, isSylkError } from "../../kernel/index.ts";
import { defineEvent, type Counters, type Journal, type View } from "../../journal/index.ts";

const holdSchema = z.object({
  /** The process, as the kernel names it. */
  holder: z.string(),
  key: z.string(),
  hold_key: z.string(),
});

const holdOpened = defineEvent("model.hold_opened", holdSchema);
const holdReclaimed = defineEvent("model.hold_reclaimed", z.object({ hold_key: z.string(), amount: z.number() }));

interface OpenHold {
  holder: string;
  key: string;
  /** Of the event that opened it; whoever reclaims must be the first to follow. */
  seq: number;
}

export const holdsView: View<OpenHold> = {
  name: "model.holds",
  version: 1,
  types: ["model.hold_opened", "model.hold_reclaimed"],
  key: (event) => (event.payload as { hold_key: string }).hold_key,
  reduce: (_, event) => (holdOpened.is(event) ? { holder: event.payload.holder, key: event.payload.key, seq: event.seq } : undefined),
};

const streamOf = (holdKey: string): string => `model/${holdKey}`;

export async function registerHold(journal: Journal | undefined, hold: { holder: string; key: string; holdKey: string }): Promise<void> {
  await journal?.append(streamOf(hold.holdKey), "any", [
    holdOpened.create({ holder: hold.holder, key: hold.key, hold_key: hold.holdKey }, { actor: "model" }),
  ]);
}

/** Gives back what dead processes held. Two processes doing it at once give back once. */
export async function reclaimDeadHolds(journal: Journal | undefined, counters: Counters): Promise<void> {
  if (journal === undefined) return;
  for (const { key: holdKey, state } of await journal.list(holdsView)) {
    if (!isHolderDead(state.holder)) continue;
    const amount = await counters.value(holdKey);
    try {
      await journal.append(streamOf(holdKey), state.seq, [holdReclaimed.create({ hold_key: holdKey, amount }, { actor: "model" })]);
    } catch (error) {
      if (isSylkError(error, "JOURNAL_CONFLICT")) continue;
      throw error;
    }
    await Promise.all([counters.giveBack(holdKey, amount), counters.giveBack(state.key, amount)]);
  }
}
