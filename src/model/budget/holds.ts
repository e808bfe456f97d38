/**
 * Which process holds what. A hold is announced before anything is taken, so that whoever comes
 * later can give back what a dead process left behind.
 */
import { holderState, unreachable } from "../../kernel/index.ts";
import { type Counters, type Journal, type View, type Work } from "../../journal/index.ts";
import { decodeHold, holdEvents, SYSTEM, typesOf } from "../../protocol/events/index.ts";

interface OpenHold {
  holder: string;
  key: string;
}

export const holdsView: View<OpenHold> = {
  name: "model.holds",
  version: 1,
  types: typesOf(holdEvents),
  key: (event) => decodeHold(event)?.payload.hold_key,
  reduce(open, happened) {
    const event = decodeHold(happened);
    switch (event?.type) {
      case "model.hold_opened":
        return { holder: event.payload.holder, key: event.payload.key };
      case "model.hold_reclaimed":
        return undefined;
      case undefined:
        return open;
      default:
        return unreachable(event);
    }
  },
};

const streamOf = (holdKey: string): string => `model/${holdKey}`;

export async function registerHold(journal: Journal | undefined, hold: { holder: string; key: string; holdKey: string }): Promise<void> {
  await journal?.append(streamOf(hold.holdKey), "any", [
    holdEvents.opened.create({ holder: hold.holder, key: hold.key, hold_key: hold.holdKey }, { actor: SYSTEM.model }),
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
    if (holderState(state.holder) !== "dead") continue;
    const claim = await work.claim(`reclaim/${holdKey}`, who, RECLAIM_LEASE_MS);
    if (claim === undefined) continue;
    const amount = await counters.value(holdKey);
    if (amount !== 0) await counters.giveBack(state.key, amount, holdKey);
    await work.finish(claim, streamOf(holdKey), "any", [
      holdEvents.reclaimed.create({ hold_key: holdKey, amount }, { actor: SYSTEM.model }),
    ]);
  }
}
