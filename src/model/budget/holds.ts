/**
 * Which process holds what. A hold is announced before anything is taken, so that whoever comes
 * later can give back what a dead process left behind.
 */
import { unreachable, type Clock, holders, SylkError } from "../../kernel/index.ts";
import { owning, type Counters, type Journal, type View, type Work } from "../../journal/index.ts";
import { EVENTS, decode, SYSTEM, typesOf } from "../../protocol/events/index.ts";

interface OpenHold {
  holder: string;
  key: string;
}

export const holdsView: View<OpenHold> = {
  name: "model.holds",
  version: 1,
  types: typesOf(EVENTS.hold),
  key: (event) => decode(EVENTS.hold, event)?.payload.hold_key,
  reduce(open, happened) {
    const event = decode(EVENTS.hold, happened);
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
    EVENTS.hold.opened.create({ holder: hold.holder, key: hold.key, hold_key: hold.holdKey }, { actor: SYSTEM.model }),
  ]);
}

/** Gives back what dead processes held. Whoever owns the hold does it, so it happens once. */
export async function reclaimDeadHolds(
  store: { journal: Journal; counters: Counters; work: Work } | undefined,
  clock: Clock,
): Promise<void> {
  if (store === undefined) return;
  const { journal, counters, work } = store;
  for (const { key: holdKey, state } of await journal.list(holdsView)) {
    if (holders.state(state.holder) !== "dead") continue;
    try {
      await owning({ work, clock }, `reclaim/${holdKey}`, {}, async (owned, claim) => {
        const amount = await counters.value(holdKey);
        await owned.mustOwn();
        if (amount !== 0) await counters.giveBack(state.key, amount, holdKey);
        const reclaimed = EVENTS.hold.reclaimed.create({ hold_key: holdKey, amount }, { actor: SYSTEM.model });
        await work.finish(claim, streamOf(holdKey), "any", [reclaimed]);
      });
    } catch (error) {
      // Another process gives it back.
      if (!SylkError.is(error, "RUN_TAKEN")) throw error;
    }
  }
}
