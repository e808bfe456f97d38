/** The journal as surfaces see it. */
import { SylkError, type Clock, must, shortIds } from "../kernel/index.ts";
import type { SalvageReport } from "./internal/salvage.ts";
import type { EventFilter } from "./types.ts";
import type { Store, StoreDriver } from "./store.ts";
import type { VerifyProgress } from "./internal/verify-content.ts";
import type { VerifyReport } from "./internal/verify.ts";
import { toWire } from "./event-feed.ts";
import type { AdoptReport } from "./old-journal.ts";
import type { WireEvent } from "../protocol/index.ts";
import { USER, type JournalEvent } from "../protocol/events/index.ts";

export type RebuildOutcome = { kind: "views"; events: number } | ({ kind: "salvaged" } & SalvageReport);

export interface JournalApi {
  /** The newest `count` matching events, then, when following, each new one until aborted. */
  tail(options: {
    filter: EventFilter;
    /** Without the records of who was permitted what. */
    withoutAudit: boolean;
    count: number;
    follow: boolean;
    signal: AbortSignal;
  }): AsyncIterable<WireEvent>;
  /** By event id or its last or first characters, by position, or as `stream#seq`. */
  show(which: string): Promise<WireEvent | undefined>;
  export(options: { filter: EventFilter; signal: AbortSignal }): AsyncIterable<WireEvent>;
  verify(options: { onProgress?: (progress: VerifyProgress) => void; signal: AbortSignal }): Promise<VerifyReport>;
  /** Goes on from a journal that is not what it was signed to be; the reason becomes a signed fact. */
  accept(reason: string): Promise<WireEvent>;
  /** Folds every view again; a damaged database is first recovered from itself and its backups. */
  rebuild(): Promise<RebuildOutcome>;
  /** Where the journal stands. */
  readonly path: string;
  /** A journal in the project's folder that somebody else made: what it holds and, when confirmed, its history without its running tasks. */
  adopt(options: { confirmed: boolean }): Promise<AdoptReport & { cancelled: number }>;
  compact(): Promise<{ archivedStreams: number; archivedEvents: number; removedBlobs: number; bytesBefore: number; bytesAfter: number }>;
}

const PAGE = 500;

export interface JournalApiParts {
  store: () => Promise<Store>;
  /** Undefined while the project has none. */
  existing: () => Promise<Store | undefined>;
  /** Closes the store if it is open, so that its file may be replaced. */
  closeStore: () => Promise<void>;
  path: string;
  backupDir: string;
  clock: Clock;
  driver: StoreDriver;
  redact: (text: string) => string;
  adopt: (options: { confirmed: boolean }) => Promise<AdoptReport>;
  /** Ends every task that could go on; returns how many there were. */
  cancelTasks: (reason: string) => Promise<number>;
  retention: () => { idleMs: number; blobGraceMs: number };
}

async function* pages(store: Store, filter: EventFilter, after: number, signal: AbortSignal): AsyncGenerator<JournalEvent> {
  for (let position = after; !signal.aborted;) {
    const events = await store.journal.readAll({ after: position, limit: PAGE, filter, asStored: true });
    yield* events;
    if (events.length < PAGE) return;
    position = must(events.at(-1)).position;
  }
}

const isAudit = (event: JournalEvent): boolean => event.type.startsWith("audit.");

async function lastPositions(store: Store, filter: EventFilter, count: number, wanted: (event: JournalEvent) => boolean): Promise<number> {
  const head = await store.journal.headPosition();
  for (let window = Math.max(count * 4, PAGE); ; window *= 4) {
    const after = Math.max(0, head - window);
    const events = (await store.journal.readAll({ after, limit: window, filter })).filter(wanted);
    if (events.length >= count || after === 0)
      return events.length === 0 ? after : must(events[Math.max(0, events.length - count)]).position - 1;
  }
}

/** Looks through everything: ids are found whole by their index only. */
async function findByPart(store: Store, part: string): Promise<JournalEvent | undefined> {
  if (part.length < 4) return undefined;
  let found: JournalEvent | undefined;
  for await (const event of pages(store, {}, 0, new AbortController().signal)) {
    if (shortIds.match(part, [event.id]).kind === "none") continue;
    if (found !== undefined)
      throw new SylkError({
        code: "JOURNAL_AMBIGUOUS_EVENT",
        tier: "user_fixable",
        message: `${part} could be several events`,
        fix: "give more characters, or the position that `sylk journal tail` shows",
      });
    found = event;
  }
  return found;
}

/** What a user did on purpose needs no second word from them; the fact is kept all the same. */
async function acceptIfRefused(store: Store, reason: string): Promise<void> {
  if (store.refusal !== undefined) await store.admin.accept({ reason, actor: USER });
}

/** What folding the views again cannot mend: the events themselves are not what they were. */
const DAMAGES: ReadonlySet<VerifyReport["problems"][number]["kind"]> = new Set([
  "unreadable",
  "hash_mismatch",
  "chain_break",
  "sequence_gap",
  "position_gap",
]);

export function createJournalApi(parts: JournalApiParts): JournalApi {
  return {
    path: parts.path,
    async adopt(options) {
      const report = await parts.adopt(options);
      if (report.adopted) await acceptIfRefused(await parts.store(), `adopted from ${report.file}`);
      const cancelled = report.adopted ? await parts.cancelTasks("it came with a journal that somebody else made") : 0;
      return { ...report, cancelled };
    },
    async *tail({ filter, withoutAudit, count, follow, signal }) {
      const wanted = (event: JournalEvent): boolean => !withoutAudit || !isAudit(event);
      // Who waits for what comes needs a store; who only looks does not create one.
      const store = follow ? await parts.store() : await parts.existing();
      if (store === undefined) return;
      let after = count === 0 ? await store.journal.headPosition() : await lastPositions(store, filter, count, wanted);
      using subscription = store.journal.subscribe(filter);
      do {
        for await (const event of pages(store, filter, after, signal)) {
          after = event.position;
          if (wanted(event)) yield toWire(event);
        }
      } while (follow && (await subscription.next(signal)) === "maybe");
    },
    async show(which) {
      const store = await parts.existing();
      if (store === undefined) return undefined;
      const place = /^(.+)#(\d+)$/.exec(which);
      if (place !== null) {
        const [event] = await store.journal.read(must(place[1]), { from: Number(place[2]), limit: 1, asStored: true });
        return event?.seq === Number(place[2]) ? toWire(event) : undefined;
      }
      if (/^\d+$/.test(which)) {
        const [event] = await store.journal.readAll({ after: Number(which) - 1, limit: 1, asStored: true });
        return event?.position === Number(which) ? toWire(event) : undefined;
      }
      const found = (await store.journal.find(which as JournalEvent["id"], { asStored: true })) ?? (await findByPart(store, which));
      return found === undefined ? undefined : toWire(found);
    },
    async *export({ filter, signal }) {
      const store = await parts.existing();
      if (store === undefined) return;
      for await (const event of pages(store, filter, 0, signal)) yield toWire(event);
    },
    verify: async (options) => (await parts.store()).admin.verify(options),
    accept: async (reason) => toWire(await (await parts.store()).admin.accept({ reason: parts.redact(reason), actor: USER })),
    async rebuild() {
      try {
        const store = await parts.store();
        const report = await store.admin.verify();
        if ((await store.admin.check()) === undefined && !report.problems.some((problem) => DAMAGES.has(problem.kind))) {
          await store.admin.rebuildViews();
          return { kind: "views", events: report.events };
        }
      } catch (error) {
        if (!SylkError.is(error, "STORE_CORRUPT") && !SylkError.is(error, "STORE_NOT_A_DATABASE")) throw error;
      }
      await parts.closeStore();
      const report = await parts.driver.salvage({ path: parts.path, clock: parts.clock, backupDir: parts.backupDir });
      const store = await parts.store();
      await acceptIfRefused(
        store,
        `recovered by rebuild: ${report.kept} events kept, ${report.missing} lost, ${report.setAside} set aside`,
      );
      await store.admin.rebuildViews();
      return { kind: "salvaged", ...report };
    },
    compact: async () => (await parts.store()).admin.compact(parts.retention()),
  };
}
