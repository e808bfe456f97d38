/** Bugs as somebody might build them, put where the simulation hands the store and the world to a life. */
import type { Claim, Work } from "../../src/journal/index.ts";
import { EVENTS, SYSTEM } from "../../src/protocol/events/index.ts";
import type { Plants } from "./lives.ts";

const by = { actor: SYSTEM.engine };

/** As if the store had been asked: what was claimed is believed to be owned for ever. */
function believing(work: Work): Work {
  const claims = new Map<string, Claim>();
  const kept = (claim: Claim | undefined): Claim | undefined => {
    if (claim !== undefined) claims.set(claim.key, claim);
    return claim;
  };
  return {
    ...work,
    claim: async (key, holder, leaseMs) => kept(await work.claim(key, holder, leaseMs)),
    claimNext: async (kinds, holder, leaseMs) => kept(await work.claimNext(kinds, holder, leaseMs)),
    renew: () => Promise.resolve([]),
    holder: (key) => Promise.resolve(claims.get(key)),
  };
}

interface Planted {
  plants: Plants;
  laws: string[];
  /** One of the seeds that find it. */
  seed: number;
}

export const PLANTED: Record<string, Planted> = {
  "a missing fence": {
    plants: {
      store: ({ journal, work }) => ({
        work,
        journal: { ...journal, append: (stream, seq, events) => journal.append(stream, seq, events) },
      }),
    },
    laws: ["only the owner writes"],
    seed: 228,
  },
  "a fact before its effect": {
    plants: {
      perform: async (run, key, flavour, hands) => {
        await run.append(EVENTS.run.effectIntended.create({ key, plan: flavour }, by));
        await run.append(EVENTS.run.effectDone.create({ key, result: "done" }, by));
        await run.mustOwn();
        await hands.act(run, key, flavour);
      },
    },
    laws: ["no fact before its effect"],
    seed: 3,
  },
  "a settle that repeats": {
    plants: { hands: (hands) => ({ ...hands, settle: () => Promise.resolve("act") }) },
    laws: ["no effect twice"],
    seed: 19,
  },
  "an owner that does not ask again": {
    plants: { store: ({ journal, work }) => ({ journal, work: believing(work) }) },
    laws: ["only the owner acts", "only the owner writes"],
    seed: 71,
  },
  "an effect without an intent": {
    plants: {
      perform: async (run, key, flavour, hands) => {
        await run.mustOwn();
        await hands.act(run, key, flavour);
        await run.append(EVENTS.run.effectDone.create({ key, result: "done" }, by));
      },
    },
    laws: ["intent before effect"],
    seed: 3,
  },
  "a settle that takes it for done": {
    plants: {
      hands: (hands) => ({
        ...hands,
        settle: async (run, key, flavour) => {
          const found = await hands.settle(run, key, flavour);
          return found === "act" ? { value: "done" } : found;
        },
      }),
    },
    laws: ["no fact before its effect"],
    seed: 7,
  },
  "an effect that is not synced before its fact": { plants: { unsynced: true }, laws: ["no fact before its effect"], seed: 3 },
  "a cancel that does not wait": { plants: { hastyCancel: true }, laws: ["over means over"], seed: 83 },
  "an answer that does not look whether there is one": {
    plants: {
      store: ({ journal, work }) => ({
        work,
        journal: {
          ...journal,
          append: (stream, seq, events, fence) =>
            journal.append(stream, stream.startsWith("question/") && seq === 1 ? "any" : seq, events, fence),
        },
      }),
    },
    laws: ["a question ends once"],
    seed: 22,
  },
};
