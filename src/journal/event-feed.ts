/**
 * Events for surfaces: everything after a position, in order, nothing left out. A reader that is slow only reads later;
 * whoever was cut off goes on after the last position it saw.
 */
import type { Store } from "./store.ts";
import { must, type Clock } from "../kernel/index.ts";
import type { Wire } from "../protocol/api/index.ts";
import type { JournalEvent } from "../protocol/events/index.ts";
import type { WireEvent } from "../protocol/index.ts";

type EventFilter = Wire<"eventFilter">;

const PAGE = 500;
/** A runner that is killed writes nothing: look again after a while. */
const LOOK_AGAIN_MS = 1_000;
/** Made once: an abort without a reason makes an error with its stack every time. */
const WOKEN = new Error("woken");

export function toWire(event: JournalEvent): WireEvent {
  return {
    position: event.position,
    stream: event.stream,
    seq: event.seq,
    id: event.id,
    type: event.type,
    at: event.at,
    actor: event.actor,
    causation_id: event.causationId,
    correlation_id: event.correlationId,
    payload: event.payload,
    prev_hash: event.prevHash,
    hash: event.hash,
  };
}

const wanted = ({ without_audit: without }: EventFilter, event: JournalEvent): boolean =>
  without !== true || !event.type.startsWith("audit.");

function storeFilter({ stream, types }: EventFilter): { stream?: string; types?: readonly string[] } {
  return { ...(stream === undefined ? {} : { stream }), ...(types === undefined ? {} : { types }) };
}

/** After which position the newest `count` of these events stand. */
export async function lastPositions(store: Store, filter: EventFilter, count: number): Promise<number> {
  const head = await store.journal.headPosition();
  if (count === 0) return head;
  for (let window = Math.max(count * 4, PAGE); ; window *= 4) {
    const after = Math.max(0, head - window);
    const read = await store.journal.readAll({ after, limit: window, filter: storeFilter(filter) });
    const events = read.filter((event) => wanted(filter, event));
    if (events.length >= count || after === 0)
      return events.length === 0 ? after : must(events[Math.max(0, events.length - count)]).position - 1;
  }
}

export interface EventFeedParts {
  store: () => Promise<Store>;
  /** Undefined while the project has none. */
  existing: () => Promise<Store | undefined>;
  clock: Clock;
  /** Whether somebody works on it now. */
  isRunning: (task: string) => Promise<boolean>;
}

export function createEventFeed(parts: EventFeedParts) {
  /** Something may have been appended, a while has passed, or it is over. */
  const somethingNew = async (next: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<void> => {
    const soon = new AbortController();
    const either = AbortSignal.any([signal, soon.signal]);
    await Promise.race([next(either), parts.clock.sleep(LOOK_AGAIN_MS, either).catch(() => undefined)]);
    soon.abort(WOKEN);
  };

  return async function* events(filter: EventFilter, after: number, signal: AbortSignal): AsyncGenerator<WireEvent> {
    const { until } = filter;
    const task = /^task\/(.+[^/])$/.exec(filter.stream ?? "")?.[1];
    // Who waits for what comes needs a store; who only looks does not create one.
    const store = until === undefined ? await parts.store() : await parts.existing();
    if (store === undefined) return;
    using subscription = store.journal.subscribe(storeFilter(filter));
    // Within one stream the next event is found by its number, without looking through those before.
    const follow = filter.types === undefined && filter.stream?.endsWith("/") === false ? filter.stream : undefined;
    let seen: number | undefined;
    const nextPage = (position: number): Promise<JournalEvent[]> =>
      follow === undefined || seen === undefined
        ? store.journal.readAll({ after: position, limit: PAGE, filter: storeFilter(filter), asStored: true })
        : store.journal.read(follow, { from: seen + 1, limit: PAGE, asStored: true });
    for (let position = after; !signal.aborted;) {
      // Asked before reading, so that nothing its runner wrote last is missed.
      const ends =
        until === "rest"
          ? task === undefined || !(await parts.isRunning(task))
          : until !== undefined && (await store.journal.headPosition()) >= until;
      const page = await nextPage(position);
      for (const event of page) {
        if (typeof until === "number" && event.position > until) return;
        ({ position, seq: seen } = event);
        if (wanted(filter, event)) yield toWire(event);
        if (signal.aborted) return;
      }
      if (page.length === PAGE) continue;
      if (ends) return;
      await somethingNew((either) => subscription.next(either), signal);
    }
  };
}
