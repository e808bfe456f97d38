/**
 * One small record that every process on the machine sees the same: the newest event of a stream.
 * A change is a conditional append, so two processes never both win. Without a journal it lives in
 * this process only.
 */
import { type Clock, SylkError } from "../../kernel/index.ts";
import { type Journal, type View } from "../../journal/index.ts";
import { SYSTEM, type EventType } from "../../protocol/events/index.ts";

/** How old a cached copy may be before the stream is looked at again. */
const FRESH_MS = 1000;
const MAX_CONFLICTS = 100;

interface Stored<State> {
  seq: number;
  state: State;
}

export interface RegisterKind<State> {
  event: EventType<string, State>;
  view: View<Stored<State>>;
  streamPrefix: string;
  initial: State;
}

/** Declares a kind of record once, at module load. */
export function defineRegister<State>(name: string, event: EventType<string, State>, initial: State): RegisterKind<State> {
  const streamPrefix = `model/${name}/`;
  return {
    event,
    streamPrefix,
    initial,
    view: {
      name: `model.${name}`,
      version: 1,
      types: [event.type],
      key: (one) => (one.stream.startsWith(streamPrefix) ? one.stream.slice(streamPrefix.length) : undefined),
      reduce: (_, one) => ({ seq: one.seq, state: one.payload as State }),
    },
  };
}

export class SharedRegister<State> {
  readonly #kind: RegisterKind<State>;
  readonly #key: string;
  readonly #journal: Journal | undefined;
  readonly #clock: Clock;
  #cached: Stored<State>;
  #readAt = -Infinity;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(kind: RegisterKind<State>, key: string, journal: Journal | undefined, clock: Clock) {
    this.#kind = kind;
    this.#key = key;
    this.#journal = journal;
    this.#clock = clock;
    this.#cached = { seq: 0, state: kind.initial };
  }

  /** As last seen; `refresh` first where age matters. */
  get current(): State {
    return this.#cached.state;
  }

  async refresh(maxAgeMs: number = FRESH_MS): Promise<State> {
    if (this.#journal !== undefined && this.#clock.monotonic() - this.#readAt >= maxAgeMs) {
      const stored = await this.#journal.get(this.#kind.view, this.#key);
      if (stored !== undefined && stored.seq > this.#cached.seq) this.#cached = stored;
      this.#readAt = this.#clock.monotonic();
    }
    return this.#cached.state;
  }

  /** Applies `change` to the newest state; the same object back means no change. */
  update(change: (state: State) => State): Promise<{ before: State; after: State }> {
    const next = this.#lastChange.then(() => this.#apply(change));
    this.#lastChange = next.catch(() => undefined);
    return next;
  }

  async #apply(change: (state: State) => State): Promise<{ before: State; after: State }> {
    for (let conflicts = 0; ; conflicts += 1) {
      const before = await this.refresh(conflicts === 0 ? FRESH_MS : 0);
      const after = change(before);
      if (after === before) return { before, after };
      if (this.#journal === undefined) {
        this.#cached = { seq: this.#cached.seq + 1, state: after };
        return { before, after };
      }
      try {
        const [event] = await this.#journal.append(`${this.#kind.streamPrefix}${this.#key}`, this.#cached.seq, [
          this.#kind.event.create(after, { actor: SYSTEM.model }),
        ]);
        this.#cached = { seq: event?.seq ?? this.#cached.seq + 1, state: after };
        return { before, after };
      } catch (error) {
        if (!SylkError.is(error, "JOURNAL_CONFLICT") || conflicts >= MAX_CONFLICTS) throw error;
      }
    }
  }
}
