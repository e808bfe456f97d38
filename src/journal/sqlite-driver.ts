/**
 * The embedded driver: one SQLite file holds the journal, its views, blobs, work and counters.
 * Several processes may have it open. Disposing it signs what is unsigned and closes the file.
 */
import { messageOf, SylkError, type Clock, must, holders } from "../kernel/index.ts";
import { anchorRefusal, Anchors, type AnchorProblem } from "./internal/anchors.ts";
import { listBackups, writeBackup } from "./internal/backup.ts";
import { Changes } from "./internal/changes.ts";
import { checkPages, openDatabase, openSnapshot, readOnly } from "./internal/database.ts";
import { asStored, decoded } from "./internal/event-codec.ts";
import { examineStore } from "./internal/examine.ts";
import { EventLog, prepareEvents } from "./internal/event-log.ts";
import { FileInPlace } from "./internal/file-in-place.ts";
import { compactStore } from "./internal/maintenance.ts";
import type { Migration } from "./internal/schema.ts";
import { salvageStore } from "./internal/salvage.ts";
import { Signer, loadSigningKey, publicKeyOf } from "./internal/signatures.ts";
import { SqliteBlobs } from "./internal/sqlite-blobs.ts";
import { SqliteCounters } from "./internal/sqlite-counters.ts";
import { storeError } from "./internal/sqlite-errors.ts";
import { SqliteWork } from "./internal/sqlite-work.ts";
import { verifyLog, type VerifyReport } from "./internal/verify.ts";
import type { VerifyProblem } from "./internal/verify-content.ts";
import { ViewEngine } from "./internal/view-engine.ts";
import { Writer } from "./internal/writer.ts";
import { questionView } from "./questions/question-view.ts";
import { runView } from "./run/run-state.ts";
import type { Store, StoreAdmin, StoreDriver, StoreOptions } from "./store.ts";
import type { Fence, Journal, ReadOptions } from "./types.ts";
import { EVENTS, STREAMS, type JournalEvent, type NewEvent } from "../protocol/events/index.ts";
import { readOnlyUrl } from "./internal/read-only-url.ts";
import { rowOf } from "./internal/rows.ts";

const AFTER_WRITE = "after a write: ";
const DEFAULT_READ_LIMIT = 100_000;

async function open(options: StoreOptions & { migrations?: readonly Migration[] }): Promise<Store> {
  const { path, clock } = options;
  const busyTimeoutMs = options.busyTimeoutMs ?? 30_000;
  const db = await openDatabase({
    path,
    clock,
    durability: options.durability ?? "full",
    busyTimeoutMs,
    backupDir: options.backupDir,
    migrations: options.migrations,
  });
  const warnings: string[] = [];
  const log = new EventLog(db, clock);
  let inPlace: FileInPlace | undefined;
  const mustStand = (): void => inPlace?.mustStand();
  const writer = new Writer(db, {
    clock,
    busyTimeoutMs,
    path,
    mustStand,
    onTrouble: (error) => {
      // Once is enough: the same trouble comes back with every write.
      if (!warnings.some((known) => known.startsWith(AFTER_WRITE))) warnings.push(`${AFTER_WRITE}${messageOf(error)}`);
    },
  });
  const known = [runView, questionView, ...(options.views ?? [])];
  const views = new ViewEngine({
    log,
    writer,
    views: known,
    onMalformed: (error) => {
      if (!warnings.includes(error.message)) warnings.push(error.message);
    },
    clock,
    onBuilding: options.onBuilding,
  });
  const changes = new Changes(() => must(rowOf(log.sql("PRAGMA data_version").get(), { data_version: "number" })).data_version);
  const isReadOnly = readOnlyUrl(path) !== undefined;
  const { signer, anchors, publicKey, problems } = openSigner({ log, clock, signing: options.signing, warnings, isReadOnly });
  let refusal = problems.length > 0 ? anchorRefusal(path, problems) : isReadOnly ? readOnly(path) : undefined;
  writer.refuse(refusal);

  let committed: JournalEvent[] = [];
  let signed = false;
  const appendNow = (
    stream: string,
    expectedSeq: number | "any",
    prepared: ReturnType<typeof prepareEvents>,
    fence?: Fence,
  ): JournalEvent[] => {
    const { events, known } = log.append(stream, expectedSeq, prepared, fence);
    if (!known) {
      views.afterAppend(events);
      const isSigned = signer?.signDue(false) === true;
      writer.whenCommitted(() => {
        signed ||= isSigned;
        committed.push(...events);
      });
    }
    return events;
  };
  writer.onCommit(() => {
    const events = committed;
    committed = [];
    const last = events.at(-1);
    if (last === undefined) return;
    changes.appended(events);
    anchors?.markHead({ position: last.position, hash: last.hash });
  });
  // A killed process, too, leaves a mark of how far the journal had come.
  writer.onCommit(() => {
    if (!signed) return;
    signed = false;
    anchors?.advance({ sync: false });
  });

  try {
    await views.open();
    inPlace = new FileInPlace(db, path, clock);
  } catch (error) {
    anchors?.close();
    db.close();
    throw storeError(error, path);
  }
  /** What a damaged file answers is said with what to do about it. */
  const reading = async <T>(read: () => T | Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      throw storeError(error, path);
    }
  };

  const journal: Journal = {
    append: async (stream, expectedSeq, events, fence) => {
      const prepared = prepareEvents(stream, events);
      return writer.run(() => appendNow(stream, expectedSeq, prepared, fence));
    },
    appendSoon: (stream, events) => {
      // A transaction may be tried again, and must find the same.
      let prepared: ReturnType<typeof prepareEvents> | undefined;
      return writer.run(() => appendNow(stream, "any", (prepared ??= prepareEvents(stream, events()))), false);
    },
    read: (stream, read = {}) => reading(() => log.read(stream, read.from ?? 1, read.limit ?? DEFAULT_READ_LIMIT, readingOf(read))),
    readAll: ({ after, limit, filter, ...read }) => reading(() => log.readAll(after, limit, filter, readingOf(read))),
    find: (id, read = {}) => reading(() => log.findById(id, readingOf(read))),
    head: (stream) => reading(() => log.head(stream).seq),
    headPosition: () => reading(() => log.headPosition()),
    subscribe: (filter) => changes.subscribe(filter),
    get: (view, key) => reading(() => views.get(view, key)),
    list: (view, list) => reading(() => views.list(view, list)),
    count: (view, prefix) => reading(() => views.count(view, prefix)),
    keys: (view, prefix) => reading(() => views.keys(view, prefix)),
  };
  const work = new SqliteWork({
    log,
    writer,
    clock,
    stateOf: options.stateOf ?? holders.state,
    mustStand,
    append: (stream, seq, events: readonly NewEvent[]) => void appendNow(stream, seq, prepareEvents(stream, events)),
  });

  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    changes.close();
    if (refusal === undefined) await signOnClose(writer, signer, anchors, warnings);
    await writer.close();
    anchors?.close();
    db.close();
  };

  const admin: StoreAdmin = {
    async accept({ reason, actor }) {
      if (refusal === undefined || signer === undefined || anchors === undefined) throw nothingToAccept(path);
      const found = anchors.judge(anchors.look()).map(({ kind, message }) => ({ kind, message }));
      const payload = { reason, problems: found, head: log.headPosition() };
      const prepared = prepareEvents(STREAMS.accepted, [EVENTS.journal.accepted.create(payload, { actor })]);
      const [event] = await writer.derive(() => {
        const events = appendNow(STREAMS.accepted, "any", prepared);
        signer.signRestart();
        return events;
      });
      anchors.advance({ sync: true, anew: true });
      refusal = undefined;
      writer.refuse(undefined);
      return event as JournalEvent;
    },
    verify: async (verify = {}) => {
      const anchorProblems = options.signing === undefined ? [] : (anchors?.judge(anchors.look()) ?? [UNCHECKED]);
      using snapshot = openSnapshot(path);
      const report = await verifyLog(snapshot, new EventLog(snapshot, clock), {
        ...verify,
        publicKey,
        anchorProblems,
        views: known,
      });
      return withPages(report, checkPages(db));
    },
    rebuildViews: () => views.rebuild(),
    compact: (compact) => compactStore({ db, log, writer, clock, signer }, compact),
    backup: async (kind) =>
      options.backupDir === undefined
        ? undefined
        : writeBackup({ source: db, dir: options.backupDir, kind, clock, keep: options.keepBackups ?? 10 }),
    backups: async () => (options.backupDir === undefined ? [] : listBackups(options.backupDir)),
    check: async () => checkPages(db),
  };

  return {
    journal,
    blobs: new SqliteBlobs(log, writer, clock),
    work,
    counters: new SqliteCounters(log, writer),
    warnings,
    get refusal() {
      return refusal;
    },
    admin,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function readingOf({ asStored: stored }: Pick<ReadOptions, "asStored">): typeof asStored {
  return stored === true ? asStored : decoded;
}

const UNCHECKED: AnchorProblem = { kind: "bad_signature", message: "the signing key cannot be used, so no signature can be checked" };

interface OpenSigner {
  signer: Signer | undefined;
  anchors: Anchors | undefined;
  publicKey: string | undefined;
  problems: AnchorProblem[];
}

interface SignerParts {
  log: EventLog;
  clock: Clock;
  signing: StoreOptions["signing"];
  warnings: string[];
  isReadOnly: boolean;
}

function openSigner({ log, clock, signing, warnings, isReadOnly }: SignerParts): OpenSigner {
  if (signing === undefined) return { signer: undefined, anchors: undefined, publicKey: undefined, problems: [] };
  let publicKey: string | undefined;
  try {
    publicKey = publicKeyOf(loadSigningKey(signing.keyFile));
    const signer = new Signer(log, clock, signing);
    const anchors = new Anchors(signing, signer, publicKey, clock);
    const problems = anchors.judge(anchors.look());
    if (problems.length === 0 && !isReadOnly) anchors.begin();
    return { signer, anchors, publicKey, problems };
  } catch (error) {
    warnings.push(`the journal is not signed: ${messageOf(error)}`);
    return { signer: undefined, anchors: undefined, publicKey, problems: [] };
  }
}

function nothingToAccept(file: string): SylkError {
  return new SylkError({
    code: "JOURNAL_NOTHING_TO_ACCEPT",
    tier: "user_fixable",
    message: `${file} is as far as it was signed to be; there is nothing to accept`,
    fix: "nothing needs to be done; `sylk journal verify` checks all of it",
  });
}

async function signOnClose(writer: Writer, signer: Signer | undefined, anchors: Anchors | undefined, warnings: string[]): Promise<void> {
  if (signer === undefined) return;
  try {
    await writer.run(() => signer.signDue(true));
    anchors?.advance({ sync: true });
  } catch (error) {
    warnings.push(`the journal's end was not signed: ${messageOf(error)}`);
  }
}

/** Events may all be readable while a page of something else in the file is not. */
function withPages(report: VerifyReport, complaint: string | undefined): VerifyReport {
  if (complaint === undefined || report.problems.some((problem) => problem.kind === "unreadable")) return report;
  const problem: VerifyProblem = { kind: "unreadable", message: `the file has a damaged page: ${complaint}` };
  return { ...report, valid: false, firstBad: report.firstBad ?? problem, problems: [...report.problems, problem] };
}

export const sqliteDriver = {
  open,
  isReadOnly: (file) => readOnlyUrl(file) !== undefined,
  salvage: salvageStore,
  examine: examineStore,
} satisfies StoreDriver;
