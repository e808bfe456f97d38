/**
 * The four storage seams, as the rest of the house sees them. Every method is async, no SQL,
 * transaction or connection leaves, and time is the store's. One contract suite (`test/contract`)
 * runs on every driver.
 */
import type { JournalEvent, NewEvent } from "../protocol/events/index.ts";

/** Proof of ownership; an append by an owner whose epoch has passed is refused. */
export interface Fence {
  key: string;
  epoch: number;
}

export interface ReadOptions {
  /** First sequence wanted; 1 when absent. */
  from?: number;
  limit?: number;
  /** Payload and actor as they were written, which is what the hash covers; otherwise as the newest version has them. */
  asStored?: boolean;
}

export interface EventFilter {
  /** A stream name, or a prefix ending in `/`. */
  stream?: string;
  types?: readonly string[];
}

export interface Subscription extends Disposable {
  /** Rejects nothing; resolves when something matching may have been appended, or when disposed. */
  next(signal?: AbortSignal): Promise<"maybe" | "closed">;
}

/**
 * A state folded from events, kept per key and updated in the transaction that appends them.
 * `key` undefined means the event does not concern this view.
 */
export interface View<State> {
  readonly name: string;
  /** Raise it when `reduce` changes: the view is rebuilt from the journal on the next open. */
  readonly version: number;
  /** Event types folded; absent means all. */
  readonly types?: readonly string[];
  key(event: JournalEvent): string | undefined;
  /** Returns the next state; `undefined` removes the row. Must be pure and must not keep references. */
  reduce(state: State | undefined, event: JournalEvent, key: string): State | undefined;
  /**
   * For views keyed by stream whose state grows large: store a snapshot only every so many events
   * and fold the rest on reading. Absent: stored on every append.
   */
  readonly snapshotEvery?: number;
}

export interface ViewRow<State> {
  key: string;
  state: State;
}

export interface Journal {
  /**
   * Appends all events or none. `expectedSeq` is the stream's last sequence as the caller knows it
   * (0 for a new stream), or "any". Throws JOURNAL_CONFLICT, JOURNAL_FENCED, JOURNAL_INVALID_EVENT.
   */
  append(stream: string, expectedSeq: number | "any", events: readonly NewEvent[], fence?: Fence): Promise<JournalEvent[]>;
  /** The same without hurry: shares the transaction of the next append, or gets its own a moment later; asked for then. */
  appendSoon(stream: string, events: () => readonly NewEvent[]): Promise<JournalEvent[]>;
  read(stream: string, options?: ReadOptions): Promise<JournalEvent[]>;
  find(id: JournalEvent["id"], options?: Pick<ReadOptions, "asStored">): Promise<JournalEvent | undefined>;
  /** Events of all streams in order of position, after `position`. */
  readAll(options: { after: number; limit: number; filter?: EventFilter; asStored?: boolean }): Promise<JournalEvent[]>;
  /** Last sequence of a stream, 0 when it does not exist; last position of the journal. */
  head(stream: string): Promise<number>;
  headPosition(): Promise<number>;
  /** A hint to read, from this and other processes. */
  subscribe(filter: EventFilter): Subscription;
  /** The view's state under a key, as of the newest event. Throws JOURNAL_MALFORMED_EVENT when one of a stream's own events cannot be understood. */
  get<State>(view: View<State>, key: string): Promise<State | undefined>;
  /** Rows whose key starts with `prefix`, by key; those that cannot be understood are left out and named in the store's warnings. */
  list<State>(view: View<State>, options?: { prefix?: string; limit?: number; reverse?: boolean }): Promise<ViewRow<State>[]>;
  /** How many rows a view has whose key starts with `prefix`. */
  count<State>(view: View<State>, prefix: string): Promise<number>;
  /** The same without their states, in order. */
  keys<State>(view: View<State>, prefix: string): Promise<string[]>;
}

/** A reference that may stand anywhere in a payload: `blob:sha256:<hex>`. It keeps the blob alive. */
export type BlobRef = `blob:sha256:${string}`;

export interface Blobs {
  /** The reference data will have once put; so that an event naming it can be appended in the same breath. */
  ref(data: string | Uint8Array): BlobRef;
  put(data: string | Uint8Array): Promise<BlobRef>;
  get(ref: BlobRef): Promise<Uint8Array>;
  has(ref: BlobRef): Promise<boolean>;
}

export interface Claim {
  key: string;
  /** Of offered work. */
  kind?: string | undefined;
  holder: string;
  epoch: number;
  leaseMs: number;
}

/** When offered work may be taken: at an instant, or when a stream has gone on past a sequence, at the latest at `until`. */
export type Wake = { at: number } | { stream: string; after: number; until?: number | undefined };

/** Work that waits for whoever has time for its kind. */
export interface WorkItem {
  key: string;
  kind: string;
  /** At once when absent. */
  wake?: Wake | undefined;
}

/**
 * Ownership of work. The epoch rises with every claim, so a former owner can be told apart. A holder on this
 * machine keeps its work while its process lives; one elsewhere until its lease ends.
 */
export interface Work {
  /** Undefined when another live holder has it. */
  claim(key: string, holder: string, leaseMs: number): Promise<Claim | undefined>;
  /** Puts work up for whoever asks for its kind; what is up already stays as it is. */
  offer(items: readonly WorkItem[]): Promise<void>;
  /** The longest offered work of these kinds that is due and has no live holder. */
  claimNext(kinds: readonly string[], holder: string, leaseMs: number): Promise<Claim | undefined>;
  /** Extends the leases; returns the keys that were lost. */
  renew(claims: readonly Claim[]): Promise<string[]>;
  /** Gives the work back: done, or offered again from `wake` on. False: no longer the owner. */
  settle(claim: Claim, wake?: Wake): Promise<boolean>;
  /** Appends the last events and settles in one transaction. False: no longer the owner, nothing written. */
  finish(claim: Claim, stream: string, expectedSeq: number | "any", events: readonly NewEvent[]): Promise<boolean>;
  /** Who holds it now, if anyone. */
  holder(key: string): Promise<Claim | undefined>;
}

/** Exact shared numbers: budgets, rate limits. */
export interface Counters {
  /**
   * Adds `amount` when the result stays at or below `limit`; otherwise changes nothing. `hold` names
   * a second counter that gets the same amount in the same step: what its owner would have to give back.
   */
  take(key: string, amount: number, limit: number, hold?: string): Promise<{ ok: boolean; value: number }>;
  /** Subtracts, from `hold` too when one is named, in one step. */
  giveBack(key: string, amount: number, hold?: string): Promise<number>;
  value(key: string): Promise<number>;
}
