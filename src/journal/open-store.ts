/**
 * Opens a store: one SQLite file holding the journal, its views, blobs, work and counters.
 * Several processes may have it open. Disposing it signs what is unsigned and closes the file.
 */
import type { DatabaseSync } from "node:sqlite";
import { isHolderDead, messageOf, type Clock, type EventId } from "../kernel/index.ts";
import { listBackups, writeBackup, type BackupKind } from "./internal/backup.ts";
import { Changes } from "./internal/changes.ts";
import { openDatabase, type Durability } from "./internal/database.ts";
import { EventLog, prepareEvents } from "./internal/event-log.ts";
import { compactStore, type CompactOptions, type CompactReport } from "./internal/maintenance.ts";
import type { Migration } from "./internal/schema.ts";
import { Signer, loadSigningKey, publicKeyOf, type SigningOptions } from "./internal/signatures.ts";
import { SqliteBlobs } from "./internal/sqlite-blobs.ts";
import { SqliteCounters } from "./internal/sqlite-counters.ts";
import { storeError } from "./internal/sqlite-errors.ts";
import { SqliteWork } from "./internal/sqlite-work.ts";
import { verifyLog, type VerifyOptions, type VerifyProblem, type VerifyReport } from "./internal/verify.ts";
import { ViewEngine } from "./internal/view-engine.ts";
import { Writer } from "./internal/writer.ts";
import type { Blobs, Counters, Fence, Journal, JournalEvent, NewEvent, View, Work } from "./types.ts";

export interface StoreOptions {
  path: string;
  clock: Clock;
  /** `full` survives power loss, `process` survives kill -9. */
  durability?: Durability;
  busyTimeoutMs?: number;
  views?: readonly View<unknown>[];
  signing?: SigningOptions | undefined;
  backupDir?: string | undefined;
  /** How many backups of each kind stay. */
  keepBackups?: number;
  migrations?: readonly Migration[];
}

export interface Store extends AsyncDisposable {
  readonly path: string;
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly work: Work;
  readonly counters: Counters;
  /** What is not as it should be but does not stop the work. */
  readonly warnings: readonly string[];
  find(id: EventId): Promise<JournalEvent | undefined>;
  verify(options?: Pick<VerifyOptions, "onProgress" | "signal">): Promise<VerifyReport>;
  rebuildViews(): Promise<void>;
  compact(options: CompactOptions): Promise<CompactReport>;
  backup(kind: BackupKind): Promise<string | undefined>;
  backups(): string[];
  /** SQLite's own check; undefined when healthy, else its first complaint. */
  checkPages(): string | undefined;
  close(): Promise<void>;
}

const AFTER_WRITE = "after a write: ";
const DEFAULT_READ_LIMIT = 100_000;

export async function openStore(options: StoreOptions): Promise<Store> {
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
  const writer = new Writer(db, {
    clock,
    busyTimeoutMs,
    path,
    onTrouble: (error) => {
      // Once is enough: the same trouble comes back with every write.
      if (!warnings.some((known) => known.startsWith(AFTER_WRITE))) warnings.push(`${AFTER_WRITE}${messageOf(error)}`);
    },
  });
  const views = new ViewEngine(log, writer, options.views ?? []);
  const changes = new Changes(() => (log.sql("PRAGMA data_version").get() as { data_version: number }).data_version);
  const { signer, publicKey } = openSigner(log, clock, options.signing, warnings);

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
      if (signer?.signDue(false) === true) signed = true;
      committed.push(...events);
    }
    return events;
  };
  writer.onCommit(() => {
    const events = committed;
    committed = [];
    if (events.length > 0) changes.appended(events);
  });
  // A killed process, too, leaves a mark of how far the journal had come.
  writer.onCommit(() => {
    if (!signed) return;
    signed = false;
    signer?.writeAnchor({ sync: false });
  });

  try {
    await views.open();
  } catch (error) {
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
    appendSoon: async (stream, events) => {
      const prepared = prepareEvents(stream, events);
      return writer.run(() => appendNow(stream, "any", prepared), false);
    },
    read: (stream, read = {}) => reading(() => log.read(stream, read.from ?? 1, read.limit ?? DEFAULT_READ_LIMIT)),
    readAll: ({ after, limit, filter }) => reading(() => log.readAll(after, limit, filter)),
    head: (stream) => reading(() => log.head(stream).seq),
    headPosition: () => reading(() => log.headPosition()),
    subscribe: (filter) => changes.subscribe(filter),
    get: (view, key) => reading(() => views.get(view, key)),
    list: (view, list) => reading(() => views.list(view, list)),
  };
  const work = new SqliteWork({
    log,
    writer,
    clock,
    isDead: isHolderDead,
    append: (stream, seq, events: readonly NewEvent[]) => void appendNow(stream, seq, prepareEvents(stream, events)),
  });

  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    changes.close();
    await signOnClose(writer, signer, warnings);
    await writer.close();
    db.close();
  };

  return {
    path,
    journal,
    blobs: new SqliteBlobs(log, writer, clock),
    work,
    counters: new SqliteCounters(log, writer),
    warnings,
    find: (id) => reading(() => log.findById(id)),
    verify: async (verify = {}) =>
      withPages(await verifyLog(db, log, { ...verify, publicKey, anchorFile: options.signing?.anchorFile }), checkPages(db)),
    rebuildViews: () => views.rebuild(),
    compact: (compact) => compactStore({ db, log, writer, clock, signer }, compact),
    backup: async (kind) =>
      options.backupDir === undefined
        ? undefined
        : writeBackup({ source: db, dir: options.backupDir, kind, clock, keep: options.keepBackups ?? 10 }),
    backups: () => (options.backupDir === undefined ? [] : listBackups(options.backupDir)),
    checkPages: () => checkPages(db),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function openSigner(
  log: EventLog,
  clock: Clock,
  signing: SigningOptions | undefined,
  warnings: string[],
): { signer: Signer | undefined; publicKey: string | undefined } {
  if (signing === undefined) return { signer: undefined, publicKey: undefined };
  try {
    const publicKey = publicKeyOf(loadSigningKey(signing.keyFile));
    return { signer: new Signer(log, clock, signing), publicKey };
  } catch (error) {
    warnings.push(`the journal is not signed: ${messageOf(error)}`);
    return { signer: undefined, publicKey: undefined };
  }
}

async function signOnClose(writer: Writer, signer: Signer | undefined, warnings: string[]): Promise<void> {
  if (signer === undefined) return;
  try {
    await writer.run(() => signer.signDue(true));
    signer.writeAnchor({ sync: true });
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

function checkPages(db: DatabaseSync): string | undefined {
  try {
    const row = db.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    return row.quick_check === "ok" ? undefined : row.quick_check;
  } catch (error) {
    return messageOf(error);
  }
}
