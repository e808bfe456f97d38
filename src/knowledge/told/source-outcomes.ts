/**
 * What came of sources: what roles named to each other in requests, beside how those requests ended. A view of messages and
 * endings, nothing is kept apart. Whether a source was wrong or the work was, nobody can tell from here: it is a note for
 * the reader, and takes nothing away.
 */
import type { Journal, View } from "../../journal/index.ts";
import { EVENTS, type JournalEvent, type Payload } from "../../protocol/events/index.ts";

interface Named {
  sources: string[];
  /** Undefined: it has not ended, or its end says nothing of what was built. */
  came: "held" | "in_part" | "failed" | undefined;
}

/** How often a file, commit or address was named for work that has ended, and how often that failed or was taken back. */
export interface SourceOutcome {
  source: string;
  named: number;
  failed: number;
}

const PREFIX = "sources/";
/** Once may be chance. */
const LEAST_FAILED = 2;
const CAME: Partial<Record<Payload<"request.ended">["how"], Named["came"]>> = { done: "held", not_shown: "in_part", failed: "failed" };

/** Without the line: lines move. */
const placeOf = (source: string): string => source.trim().replace(/(?::\d+(?:-\d+)?)+$/u, "");

function next(state: Named, event: JournalEvent): Named {
  if (EVENTS.request.ended.is(event)) return { ...state, came: CAME[event.payload.how] };
  if (EVENTS.request.rolledBack.is(event)) return { ...state, came: state.came === undefined ? undefined : "failed" };
  if (!EVENTS.message.sent.is(event) || event.payload.message.body.kind !== "answer") return state;
  return { ...state, sources: [...new Set([...state.sources, ...event.payload.message.body.sources.map(placeOf)])] };
}

export const sourcesView: View<Named> = {
  name: "sources",
  version: 1,
  types: [EVENTS.message.sent.type, EVENTS.request.ended.type, EVENTS.request.rolledBack.type],
  key: ({ stream }) => `${PREFIX}${stream.slice(stream.indexOf("/") + 1)}`,
  reduce: (state, event) => next(state ?? { sources: [], came: undefined }, event),
};

/** Sources of requests that came to an end, those that failed most often first. */
export async function sourceOutcomes(journal: Pick<Journal, "list">): Promise<SourceOutcome[]> {
  const found = new Map<string, SourceOutcome>();
  for (const { state } of await journal.list(sourcesView, { prefix: PREFIX }))
    for (const source of state.came === undefined ? [] : state.sources) {
      const { named, failed } = found.get(source) ?? { named: 0, failed: 0 };
      found.set(source, { source, named: named + 1, failed: failed + (state.came === "failed" ? 1 : 0) });
    }
  return [...found.values()].toSorted((a, b) => b.failed - a.failed || (a.source < b.source ? -1 : 1));
}

/** A line for each of these that was named before work that failed, twice or more and in most cases. */
export function doubtsOf(outcomes: readonly SourceOutcome[], sources: readonly string[]): string[] {
  const wanted = new Set(sources.map(placeOf));
  return outcomes
    .filter(({ source, named, failed }) => wanted.has(source) && failed >= LEAST_FAILED && failed * 2 > named)
    .map(({ source, named, failed }) => `${source}: named for ${named} requests, ${failed} of them failed or were taken back; look twice`);
}
