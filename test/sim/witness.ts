/**
 * Sees everything that is committed, and holds it against the laws of the journal and of ownership. It knows who owns
 * what from what the store answered, not from what a life believes.
 */
import type { Claim } from "../../src/journal/index.ts";
import type { JournalEvent } from "../../src/protocol/events/index.ts";
import type { Life, Timeline } from "./timeline.ts";

export interface Violation {
  law: string;
  what: string;
}

interface Owner {
  life: Life;
  epoch: number;
  until: number;
}

const GENESIS = "0".repeat(64);

export abstract class Witness {
  violation: Violation | undefined;
  readonly events: JournalEvent[] = [];
  protected readonly timeline: Timeline;
  readonly #heads = new Map<string, { seq: number; hash: string }>();
  readonly #known = new Map<string, JournalEvent>();
  readonly #owners = new Map<string, Owner>();
  readonly #epochs = new Map<string, number>();
  readonly #machines: "one" | "many";

  constructor(timeline: Timeline, machines: "one" | "many") {
    this.timeline = timeline;
    this.#machines = machines;
  }

  /** One event that was written, in order. */
  protected abstract wrote(life: Life, event: JournalEvent): void;

  get position(): number {
    return this.events.length;
  }

  breaks(law: string, what: string): void {
    this.violation ??= { law, what };
    this.timeline.note(`VIOLATED ${law}: ${what}`);
  }

  // --- ownership

  claimed(life: Life, claim: Claim): void {
    const before = this.#owners.get(claim.key);
    if (before !== undefined && this.#mayNotBeRobbed(before, life))
      this.breaks("one owner", `${life.name} was given ${claim.key} while ${before.life.name} has it`);
    if (claim.epoch <= (this.#epochs.get(claim.key) ?? 0)) this.breaks("one owner", `the epoch of ${claim.key} did not rise`);
    this.#epochs.set(claim.key, claim.epoch);
    this.#owners.set(claim.key, { life, epoch: claim.epoch, until: this.timeline.wall + claim.leaseMs });
  }

  #mayNotBeRobbed(owner: Owner, by: Life): boolean {
    // Killed in the middle of a transaction, it is taken for dead by what it had under way itself; it does nothing with that.
    if (owner.life === by && !by.alive) return false;
    const inTime = owner.until > this.timeline.wall;
    return this.#machines === "many" || owner.life === by ? inTime : owner.life.alive;
  }

  renewed(life: Life, claim: Claim): void {
    const owner = this.#owners.get(claim.key);
    if (owner === undefined || owner.life !== life || owner.epoch !== claim.epoch)
      this.breaks("one owner", `${life.name} renewed ${claim.key}, which is not its own`);
    else owner.until = this.timeline.wall + claim.leaseMs;
  }

  released(life: Life, claim: Claim): void {
    if (!this.owns(life, claim.key, claim.epoch)) this.breaks("one owner", `${life.name} gave back ${claim.key}, which is not its own`);
    this.#owners.delete(claim.key);
  }

  protected owns(life: Life, key: string, epoch?: number): boolean {
    const owner = this.#owners.get(key);
    return owner !== undefined && owner.life === life && (epoch === undefined || owner.epoch === epoch);
  }

  // --- the journal

  committed(life: Life, events: readonly JournalEvent[]): void {
    for (const event of events) {
      this.#chained(event);
      this.events.push(event);
      this.#known.set(event.id, event);
      this.wrote(life, event);
    }
  }

  #chained(event: JournalEvent): void {
    const head = this.#heads.get(event.stream) ?? { seq: 0, hash: GENESIS };
    if (event.position !== this.position + 1 || event.seq !== head.seq + 1 || event.prevHash !== head.hash)
      this.breaks("one chain", `${event.type} at ${event.position} does not follow what was there`);
    this.#heads.set(event.stream, { seq: event.seq, hash: event.hash });
  }

  /** Somebody was told that these are written. */
  acknowledged(events: readonly JournalEvent[]): void {
    for (const event of events)
      if (this.#known.get(event.id)?.hash !== event.hash) this.breaks("nothing acknowledged is lost", `${event.type} of ${event.stream}`);
  }
}
