/** A phase ring that survives its process (WMB-007): one event per push and per rollback. */
import { unreachable, type Clock, type Json } from "../kernel/index.ts";
import type { Fence, Journal, View } from "../journal/index.ts";
import { EVENTS, decode, typesOf, type Actor, type NewEvent } from "../protocol/events/index.ts";
import { DEFAULT_CAPACITY, emptyRing, PhaseRing, type RingState } from "./phase-ring.ts";

interface StoredRing {
  kind: string;
  ring: RingState;
  outcome: string | null;
}

/** One row per ring, by its stream `ring/<kind>/<id>`. */
export const ringView: View<StoredRing> = {
  name: "ring",
  version: 1,
  types: typesOf(EVENTS.ring),
  key: (event) => event.stream,
  reduce(state, happened) {
    const event = decode(EVENTS.ring, happened);
    if (event?.type === "ring.opened")
      return { kind: event.payload.kind, ring: emptyRing(event.payload.phases, event.payload.capacity), outcome: null };
    if (state === undefined || event === undefined) return state;
    const ring = new PhaseRing(state.ring);
    switch (event.type) {
      case "ring.pushed":
        ring.push(event.payload.phase, event.payload.data, event.payload.timestamp);
        return { ...state, ring: ring.state };
      case "ring.rolled_back":
        ring.rollbackTo(event.payload.phase);
        return { ...state, ring: ring.state };
      case "ring.closed":
        return { ...state, outcome: event.payload.outcome };
      default:
        return unreachable(event);
    }
  },
};

export interface DurableRing {
  readonly id: string;
  /** Its stream, which is the run its owner claims. */
  readonly stream: string;
  push(phase: number, data: Json): Promise<void>;
  get(phase: number): Json;
  has(phase: number): boolean;
  latest(): number | undefined;
  rollbackTo(phase: number): Promise<Json>;
  /** The command is over; it is no longer offered for resuming. */
  close(outcome: string): Promise<void>;
}

export interface RingPlace {
  journal: Journal;
  clock: Clock;
  kind: string;
  id: string;
  actor: Actor;
  /** Of the process that owns the ring's run. */
  fence?: Fence | undefined;
}

const ringStream = (kind: string, id: string): string => `ring/${kind}/${id}`;

function handle(place: RingPlace, ring: PhaseRing): DurableRing {
  const { clock, actor } = place;
  const append = async (event: NewEvent): Promise<void> =>
    void (await place.journal.append(ringStream(place.kind, place.id), "any", [event], place.fence));
  return {
    id: place.id,
    stream: ringStream(place.kind, place.id),
    async push(phase, data) {
      const timestamp = clock.now();
      // The journal first: a ring in memory must never be ahead of what survives.
      new PhaseRing(ring.state).push(phase, data, timestamp);
      await append(EVENTS.ring.pushed.create({ phase, data, timestamp }, { actor }));
      ring.push(phase, data, timestamp);
    },
    get: (phase) => ring.get(phase),
    has: (phase) => ring.has(phase),
    latest: () => ring.latest(),
    async rollbackTo(phase) {
      new PhaseRing(ring.state).rollbackTo(phase);
      await append(EVENTS.ring.rolledBack.create({ phase }, { actor }));
      return ring.rollbackTo(phase);
    },
    close: (outcome) => append(EVENTS.ring.closed.create({ outcome }, { actor })),
  };
}

export async function openRing(place: RingPlace, phases: number, capacity: number = DEFAULT_CAPACITY): Promise<DurableRing> {
  const ring = new PhaseRing(emptyRing(phases, capacity));
  await place.journal.append(ringStream(place.kind, place.id), 0, [
    EVENTS.ring.opened.create({ kind: place.kind, phases, capacity }, { actor: place.actor }),
  ]);
  return handle(place, ring);
}

export async function reopenRing(place: RingPlace): Promise<DurableRing | undefined> {
  const stored = await place.journal.get(ringView, ringStream(place.kind, place.id));
  return stored === undefined ? undefined : handle(place, new PhaseRing(stored.ring));
}

/** Ids of this kind's rings whose command never ended, newest first. */
export async function openRings(journal: Journal, kind: string): Promise<string[]> {
  const rows = await journal.list(ringView, { prefix: `ring/${kind}/`, reverse: true });
  return rows.filter((row) => row.state.outcome === null).map((row) => row.key.slice(`ring/${kind}/`.length));
}
