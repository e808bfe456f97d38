/**
 * The only file that opens a journal database. Every connection gets the same pragmas (STO-013);
 * migrations run one by one, each in its own exclusive transaction, after re-reading the version.
 */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SylkError, messageOf, writeError, type Clock, must } from "../../kernel/index.ts";
import { writeBackup } from "./backup.ts";
import { APPLICATION_ID, MIGRATIONS, type Migration } from "./schema.ts";
import { isBusy, storeError } from "./sqlite-errors.ts";
import { rowOf } from "./rows.ts";
import { readOnlyUrl } from "./read-only-url.ts";

export type Durability = "full" | "process";

export interface DatabaseOptions {
  path: string;
  clock: Clock;
  durability: Durability;
  /** How long one write may wait for other processes. */
  busyTimeoutMs: number;
  /** Where backups go; absent: none are made. */
  backupDir?: string | undefined;
  migrations?: readonly Migration[] | undefined;
}

/** Blocking waits stay below this; longer ones are spent off the event loop. */
const BLOCKING_WAIT_MS = 25;

function openConnection(file: string | URL, options: { durability: Durability; readOnly?: boolean }): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: options.readOnly ?? false, timeout: BLOCKING_WAIT_MS });
  if (options.readOnly !== true) {
    db.exec("PRAGMA journal_mode = WAL");
    db.exec(`PRAGMA synchronous = ${options.durability === "full" ? "FULL" : "NORMAL"}`);
  }
  db.exec("PRAGMA cache_size = -16000; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 2000;");
  return db;
}

/** Repeats `work` while another process holds the lock, sleeping off the event loop, up to the deadline. */
export async function whileBusy<T>(options: { clock: Clock; busyTimeoutMs: number; path: string }, work: () => T): Promise<T> {
  const start = options.clock.monotonic();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || options.clock.monotonic() - start > options.busyTimeoutMs) throw storeError(error, options.path);
      await options.clock.sleep(2 + (attempt % 5) * 3);
    }
  }
}

function versionOf(db: DatabaseSync): number {
  return must(rowOf(db.prepare("PRAGMA user_version").get(), { user_version: "number" })).user_version;
}

/** Creates the file private to its owner, so that no later widening is needed. */
function createPrivately(file: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    throw writeError(file, error);
  }
}

async function migrate(db: DatabaseSync, options: DatabaseOptions): Promise<void> {
  const migrations = options.migrations ?? MIGRATIONS;
  const expected = migrations.at(-1)?.version ?? 0;
  const found = await whileBusy(options, () => versionOf(db));
  if (found > expected) {
    throw new SylkError({
      code: "STORE_NEWER",
      tier: "user_fixable",
      message: `${options.path} was written by a newer Sylk (schema ${found}, this one knows ${expected})`,
      fix: "update Sylk, or use another project folder; the file was not changed",
    });
  }
  for (const migration of migrations) {
    if (migration.version <= found) continue;
    if (migration.destructive && found > 0 && options.backupDir !== undefined && versionOf(db) < migration.version) {
      await writeBackup({ source: db, dir: options.backupDir, kind: "migration", clock: options.clock, keep: 10 });
    }
    await whileBusy(options, () => {
      db.exec("BEGIN EXCLUSIVE");
      try {
        if (versionOf(db) < migration.version) {
          migration.up(db);
          db.exec(`PRAGMA user_version = ${migration.version}`);
          db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
        }
        db.exec("COMMIT");
      } catch (error) {
        if (db.isTransaction) db.exec("ROLLBACK");
        if (isBusy(error)) throw error;
        throw new SylkError({
          code: "STORE_MIGRATION_FAILED",
          tier: "permanent",
          message: `${options.path}: migration ${migration.version} (${migration.description}) failed: ${messageOf(error)}`,
          fix: "the database is unchanged; report this with the message above",
          cause: error,
        });
      }
    });
  }
}

/** The whole database as it is now, however long it is looked at and whoever writes meanwhile. */
export function openSnapshot(file: string): DatabaseSync {
  const db = openConnection(readOnlyUrl(file) ?? file, { durability: "process", readOnly: true });
  db.exec("BEGIN; SELECT count(*) FROM views");
  return db;
}

/** What nobody may write to is read as it is, when this version can read it. */
function openForReading(options: DatabaseOptions, url: URL): DatabaseSync {
  const db = openConnection(url, { durability: "process", readOnly: true });
  const expected = (options.migrations ?? MIGRATIONS).at(-1)?.version ?? 0;
  const found = versionOf(db);
  if (found === expected) return db;
  db.close();
  throw readOnly(options.path, `its schema is ${found}, and this Sylk reads ${expected}`);
}

/** Why nothing is written to a file in such a place. */
export function readOnly(file: string, why = "its folder or file system is read-only"): SylkError {
  return new SylkError({
    code: "STORE_READ_ONLY",
    tier: "user_fixable",
    message: `nothing can be kept in ${file}: ${why}`,
    fix: "what is there can be read; to work here, give yourself write access, or copy it and set SYLK_HOME",
  });
}

export async function openDatabase(options: DatabaseOptions): Promise<DatabaseSync> {
  const url = readOnlyUrl(options.path);
  if (url !== undefined) {
    try {
      return openForReading(options, url);
    } catch (error) {
      throw storeError(error, options.path);
    }
  }
  createPrivately(options.path);
  const db = await whileBusy(options, () => openConnection(options.path, { durability: options.durability }));
  try {
    await migrate(db, options);
  } catch (error) {
    db.close();
    throw storeError(error, options.path);
  }
  return db;
}

/** What SQLite itself finds wrong with the file; undefined when nothing is. */
export function checkPages(db: DatabaseSync): string | undefined {
  try {
    const row = must(rowOf(db.prepare("PRAGMA quick_check(1)").get(), { quick_check: "text" }));
    return row.quick_check === "ok" ? undefined : row.quick_check;
  } catch (error) {
    return messageOf(error);
  }
}
