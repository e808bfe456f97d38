/**
 * Which process holds what. A hold is announced before anything is taken, so that whoever comes
 * later can give back what a dead process left behind.
 */
import { z } from "zod";
import { isHolderDead } from "../../kernel/index.ts";
import { defineEvent, type Counters, type Journal, type View, type Work } from "../../journal/index.ts";

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
}

export const holdsView: View<OpenHold> = {
  name: "model.holds",
  version: 1,
  types: ["model.hold_opened", "model.hold_reclaimed"],
  key: (event) => (event.payload as { hold_key: string }).hold_key,
  reduce: (_, event) => (holdOpened.is(event) ? { holder: event.payload.holder, key: event.payload.key } : undefined),
};

const streamOf = (holdKey: string): string => `model/${holdKey}`;

export async function registerHold(journal: Journal | undefined, hold: { holder: string; key: string; holdKey: string }): Promise<void> {
  await journal?.append(streamOf(hold.holdKey), "any", [
    holdOpened.create({ holder: hold.holder, key: hold.key, hold_key: hold.holdKey }, { actor: "model" }),
  ]);
}

const RECLAIM_LEASE_MS = 30_000;

/** Gives back what dead processes held. Whoever has the lease does it, so it happens once. */
export async function reclaimDeadHolds(
  store: { journal: Journal; counters: Counters; work: Work } | undefined,
  who: string,
): Promise<void> {
  if (store === undefined) return;
  const { journal, counters, work } = store;
  for (const { key: holdKey, state } of await journal.list(holdsView)) {
    if (!isHolderDead(state.holder)) continue;
    const claim = await work.claim(`reclaim/${holdKey}`, who, RECLAIM_LEASE_MS);
    if (claim === undefined) continue;
    const amount = await counters.value(holdKey);
    if (amount !== 0) await counters.giveBack(state.key, amount, holdKey);
    await work.finish(claim, streamOf(holdKey), "any", [holdReclaimed.create({ hold_key: holdKey, amount }, { actor: "model" })]);
  }
}
