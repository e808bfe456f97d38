/**
 * Phase memory (WMB): a fixed number of checksummed slots in a ring, one checkpoint marker per
 * phase. Anything with phases uses it to checkpoint and roll back; nothing here knows which phases.
 * Data goes in and comes out as copies; what was stored cannot be changed from outside.
 */
import { canonicalJson, sha256, SylkError, type Json } from "../kernel/index.ts";

export interface RingSlot {
  phase: number;
  timestamp: number;
  /** Canonical JSON of the data. */
  data: string;
  checksum: string;
}

export interface RingState {
  capacity: number;
  phases: number;
  writeHead: number;
  slots: (RingSlot | null)[];
  /** Per phase the slot of its latest checkpoint. */
  markers: (number | null)[];
}

export const DEFAULT_CAPACITY = 16;

function fail(code: SylkError["code"], message: string): never {
  throw new SylkError({ code, tier: "permanent", message });
}

export function emptyRing(phases: number, capacity: number = DEFAULT_CAPACITY): RingState {
  if (capacity < phases + 1) fail("RING_TOO_SMALL", `a ring for ${phases} phases needs at least ${phases + 1} slots, got ${capacity}`);
  return {
    capacity,
    phases,
    writeHead: 0,
    slots: Array.from({ length: capacity }, () => null),
    markers: Array.from({ length: phases }, () => null),
  };
}

export class PhaseRing {
  readonly #state: RingState;

  constructor(state: RingState) {
    this.#state = structuredClone(state);
  }

  /** A copy of everything, for keeping. */
  get state(): RingState {
    return structuredClone(this.#state);
  }

  /** Stores a checkpoint; returns its slot. All or nothing: data that is not plain JSON changes nothing. */
  push(phase: number, data: Json, timestamp: number): number {
    this.#known(phase);
    const text = canonicalJson(data);
    const slot = this.#state.writeHead;
    // The ring has come round: whoever pointed at this slot points at nothing now.
    for (const [other, at] of this.#state.markers.entries()) if (at === slot) this.#state.markers[other] = null;
    this.#state.slots[slot] = { phase, timestamp, data: text, checksum: sha256(text) };
    this.#state.markers[phase] = slot;
    this.#state.writeHead = (slot + 1) % this.#state.capacity;
    return slot;
  }

  get(phase: number): Json {
    return this.#checked(phase, "PhaseNotInitialized");
  }

  has(phase: number): boolean {
    return this.#state.markers[phase] !== null && this.#state.markers[phase] !== undefined;
  }

  /** The highest phase with a checkpoint. */
  latest(): number | undefined {
    const at = this.#state.markers.findLastIndex((marker) => marker !== null);
    return at === -1 ? undefined : at;
  }

  /** Goes back to a phase's checkpoint: later ones are forgotten, writing goes on right after it. */
  rollbackTo(phase: number): Json {
    const data = this.#checked(phase, "NothingToRollback");
    for (let later = phase + 1; later < this.#state.phases; later += 1) this.#state.markers[later] = null;
    this.#state.writeHead = ((this.#state.markers[phase] ?? 0) + 1) % this.#state.capacity;
    return data;
  }

  #known(phase: number): void {
    if (!Number.isInteger(phase) || phase < 0 || phase >= this.#state.phases)
      fail("RING_UNKNOWN_PHASE", `there is no phase ${phase}; phases are 0 to ${this.#state.phases - 1}`);
  }

  #checked(phase: number, missing: SylkError["code"]): Json {
    this.#known(phase);
    const at = this.#state.markers[phase];
    const slot = at === null || at === undefined ? null : this.#state.slots[at];
    if (slot === null || slot === undefined) fail(missing, `phase ${phase} has no checkpoint`);
    if (sha256(slot.data) !== slot.checksum) fail("IntegrityCheckFailed", `the checkpoint of phase ${phase} was changed`);
    return JSON.parse(slot.data) as Json;
  }
}
