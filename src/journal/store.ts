/**
 * A journal as it is opened: the four seams for whoever works, care for whoever looks after it, and the driver that
 * knows the database behind them. Every method but the driver's look at a place is async.
 */
import type { Clock, holders, SylkError } from "../kernel/index.ts";
import type { Actor, JournalEvent } from "../protocol/events/index.ts";
import type { AnchorOptions } from "./internal/anchors.ts";
import type { BackupKind } from "./internal/backup.ts";
import type { Durability } from "./internal/database.ts";
import type { Examination } from "./internal/examine.ts";
import type { CompactOptions, CompactReport } from "./internal/maintenance.ts";
import type { SalvageReport } from "./internal/salvage.ts";
import type { SigningOptions } from "./internal/signatures.ts";
import type { VerifyOptions, VerifyReport } from "./internal/verify.ts";
import type { BuildProgress } from "./internal/view-engine.ts";
import type { Blobs, Counters, Journal, View, Work } from "./types.ts";

export interface StoreOptions {
  path: string;
  clock: Clock;
  /** `full` survives power loss, `process` survives kill -9. */
  durability?: Durability;
  busyTimeoutMs?: number;
  views?: readonly View<unknown>[];
  signing?: (SigningOptions & AnchorOptions) | undefined;
  backupDir?: string | undefined;
  /** How many backups of each kind stay. */
  keepBackups?: number;
  /** Told now and then while views are folded that were found behind, when that takes longer than a second. */
  onBuilding?: ((progress: BuildProgress) => void) | undefined;
  /** What became of a holder of work; as this machine tells when absent. */
  stateOf?: typeof holders.state;
}

export interface Store extends AsyncDisposable {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly work: Work;
  readonly counters: Counters;
  /** What is not as it should be but does not stop the work. */
  readonly warnings: readonly string[];
  /** Why nothing can be written: what is kept outside says that the journal is not what it was. Reading goes on. */
  readonly refusal: SylkError | undefined;
  readonly admin: StoreAdmin;
  close(): Promise<void>;
}

export interface StoreAdmin {
  /** Goes on from what is there, as a signed fact with its reason. Only for a journal that refuses. */
  accept(options: { reason: string; actor: Actor }): Promise<JournalEvent>;
  verify(options?: Pick<VerifyOptions, "onProgress" | "signal">): Promise<VerifyReport>;
  rebuildViews(): Promise<void>;
  compact(options: CompactOptions): Promise<CompactReport>;
  /** The file it was written to; undefined when there is no place for backups. */
  backup(kind: BackupKind): Promise<string | undefined>;
  /** Newest first. */
  backups(): Promise<string[]>;
  /** The database's own check; undefined when healthy, else its first complaint. */
  check(): Promise<string | undefined>;
}

/** A kind of database. Whoever opens a journal is given one and knows no other. */
export interface StoreDriver {
  open(options: StoreOptions): Promise<Store>;
  /** Whether what is there can be read and nothing can be kept. */
  isReadOnly(place: string): boolean;
  /** Recovers every event that verifies from a damaged journal and its backups. */
  salvage(options: { path: string; clock: Clock; backupDir?: string | undefined }): Promise<SalvageReport>;
  /** What a journal of unknown origin holds, and who made it. */
  examine(options: { path: string; clock: Clock; keyFile: string }): Promise<Examination>;
}
