/**
 * Opens the project's database the way the configuration says, once per process and only when
 * asked for, and does its housekeeping (checks after an unclean end, periodic backup, archiving).
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SylkError, messageOf, type Clock, type Dirs, type Log, type ProjectDirs, holders } from "../kernel/index.ts";
import type { Store, StoreDriver, StoreOptions } from "./store.ts";
import type { View } from "./types.ts";

/** What the configuration says about storage. */
export interface StorageConfig {
  database: { durability: "full" | "process"; busy_timeout: number };
  backup: { periodic: { enabled: boolean; interval: number }; retention_count: number };
  integrity: { startup_check: boolean };
  retention: { archive_after: number; blob_grace: number };
  /** Events per signature. */
  signature_interval: number;
}

export interface ProjectStoreOptions {
  dirs: Dirs;
  project: ProjectDirs;
  config: () => StorageConfig;
  clock: Clock;
  log: Log;
  views: readonly View<unknown>[];
  onBuilding: StoreOptions["onBuilding"];
  driver: StoreDriver;
}

export interface ProjectStore {
  open(): Promise<Store>;
  /** The store when the project has one: looking creates nothing. */
  existing(): Promise<Store | undefined>;
  close(): Promise<void>;
  readonly backupDir: string;
}

export function createProjectStore(options: ProjectStoreOptions): ProjectStore {
  const { dirs, project, clock, log } = options;
  let opened: Promise<Store> | undefined;
  const backupDir = project.backups;
  const marker = path.join(project.private, "sylk.db.open");

  const open = async (): Promise<Store> => {
    const config = options.config();
    const unclean = leftOpen(marker);
    // Where nothing can be kept, what is there is read, and nothing else is done.
    const isReadOnly = options.driver.isReadOnly(project.database);
    if (!isReadOnly) project.claim();
    const store = await options.driver.open({
      path: project.database,
      clock,
      durability: config.database.durability,
      busyTimeoutMs: config.database.busy_timeout,
      views: options.views,
      onBuilding: options.onBuilding,
      signing: {
        keyFile: path.join(dirs.config, "journal-signing-key.pem"),
        anchorFile: path.join(project.private, "anchor.json"),
        ledger: { file: path.join(dirs.data, "journals.db"), journal: project.id },
        interval: config.signature_interval,
      },
      backupDir,
      keepBackups: config.backup.retention_count,
    });
    for (const warning of store.warnings) log.warn(warning);
    if (store.refusal !== undefined) log.warn(store.refusal.message);
    if (unclean && config.integrity.startup_check) {
      const complaint = await store.admin.check();
      if (complaint !== undefined) {
        await store.close();
        throw new SylkError({
          code: "STORE_CORRUPT",
          tier: "user_fixable",
          message: `${project.database} is damaged: ${complaint}`,
          fix: "run `sylk journal rebuild`: it keeps the damaged file aside and recovers every event that verifies",
        });
      }
    }
    if (isReadOnly) return store;
    writeFileSync(marker, holders.ofProcess(), { mode: 0o600 });
    await housekeeping(store, config);
    return store;
  };

  const housekeeping = async (store: Store, config: StorageConfig): Promise<void> => {
    // A journal that is not what it was must not push good backups out.
    if (store.refusal !== undefined) return;
    if (!config.backup.periodic.enabled || (await store.journal.headPosition()) === 0) return;
    const newest = (await store.admin.backups())[0];
    const age = newest === undefined ? Infinity : clock.now() - backupTime(newest);
    if (age < config.backup.periodic.interval) return;
    try {
      await store.admin.backup("periodic");
      await store.admin.compact({ idleMs: config.retention.archive_after, blobGraceMs: config.retention.blob_grace });
    } catch (error) {
      log.warn("housekeeping failed", { reason: messageOf(error) });
    }
  };

  const openOnce = (): Promise<Store> =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));

  return {
    open: openOnce,
    existing: async () => (existsSync(project.database) ? openOnce() : undefined),
    async close() {
      const store = await opened?.catch(() => undefined);
      opened = undefined;
      if (store === undefined) return;
      await store.close();
      if (ownsMarker(marker)) rmSync(marker, { force: true });
    },
    backupDir,
  };
}

/** True when a process that had the database open is gone without closing it. */
function leftOpen(marker: string): boolean {
  try {
    return holders.state(readFileSync(marker, "utf8")) === "dead";
  } catch {
    return false;
  }
}

function ownsMarker(marker: string): boolean {
  try {
    return readFileSync(marker, "utf8") === holders.ofProcess();
  } catch {
    return false;
  }
}

function backupTime(file: string): number {
  const match = /journal_(\d{4})(\d{2})(\d{2})_(\d{2})(\d{2})(\d{2})/.exec(path.basename(file));
  return match === null
    ? 0
    : Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]), Number(match[4]), Number(match[5]), Number(match[6]));
}
