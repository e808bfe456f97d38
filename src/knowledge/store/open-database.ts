/**
 * The only file that opens the knowledge database. What is in it can be made again, so a file that is
 * damaged or of another version is removed and started anew instead of migrated.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getLoadablePath } from "sqlite-vec";
import { SylkError } from "../../kernel/index.ts";
import { transaction, WRITE_WAIT } from "./transaction.ts";
import { SCHEMA, SCHEMA_VERSION, SIGN_TABLES } from "./schema.ts";
import { readOnlyUrl } from "../../journal/index.ts";

export interface KnowledgeDatabase extends Disposable {
  readonly db: DatabaseSync;
  /** Why what was there had to be thrown away, if it had to. */
  readonly restarted: "version" | "damaged" | undefined;
}

/** A reader waits only while another process repairs the log after a crash. */
const READER_WAIT_MS = 1_000;

/** What it quotes of files may be nobody else's to read; the files beside it follow its mode. */
function keepPrivate(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  for (const ending of ["", "-wal", "-shm"]) if (existsSync(`${file}${ending}`)) chmodSync(`${file}${ending}`, 0o600);
}

function connect(file: string): DatabaseSync {
  keepPrivate(file);
  const db = new DatabaseSync(file, { timeout: WRITE_WAIT.mostMs, allowExtension: true });
  db.loadExtension(getLoadablePath());
  db.enableLoadExtension(false);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;");
  db.exec("PRAGMA cache_size = -64000; PRAGMA mmap_size = 268435456;");
  db.exec(`PRAGMA busy_timeout = ${WRITE_WAIT.turnMs}`);
  return db;
}

function versionOf(db: DatabaseSync): number {
  return (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

function createSchema(db: DatabaseSync): void {
  transaction(db, () => {
    // Another process may have made it while this one waited.
    if (versionOf(db) === 0) db.exec(`${SCHEMA}; ${SIGN_TABLES}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

function remove(file: string): void {
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
}

function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return code === 11 || code === 26;
}

export function openKnowledgeDatabase(file: string): KnowledgeDatabase {
  mkdirSync(path.dirname(file), { recursive: true });
  let restarted: KnowledgeDatabase["restarted"];
  for (let attempt = 0; ; attempt += 1) {
    let db: DatabaseSync | undefined;
    try {
      db = connect(file);
      const found = versionOf(db);
      if (found !== 0 && found !== SCHEMA_VERSION) {
        db.close();
        remove(file);
        restarted = "version";
        continue;
      }
      if (found === 0) createSchema(db);
      const opened = db;
      return { db, restarted, [Symbol.dispose]: () => opened.isOpen && opened.close() };
    } catch (error) {
      if (db?.isOpen === true) db.close();
      if (!isDamage(error) || attempt > 0 || !existsSync(file)) throw error;
      remove(file);
      restarted = "damaged";
    }
  }
}

/** For the thread that answers: it never writes, so it never waits for whoever does. */
export function openKnowledgeReader(file: string): KnowledgeDatabase {
  const url = readOnlyUrl(file);
  if (url !== undefined) return asItLies(file, url);
  const opened = openKnowledgeDatabase(file);
  opened.db.exec(`PRAGMA query_only = ON; PRAGMA busy_timeout = ${READER_WAIT_MS}`);
  return opened;
}

function asItLies(file: string, url: URL): KnowledgeDatabase {
  const db = new DatabaseSync(url, { readOnly: true, allowExtension: true });
  db.loadExtension(getLoadablePath());
  db.enableLoadExtension(false);
  db.exec("PRAGMA temp_store = MEMORY");
  if (versionOf(db) === SCHEMA_VERSION) return { db, restarted: undefined, [Symbol.dispose]: () => db.close() };
  db.close();
  throw new SylkError({
    code: "STORE_READ_ONLY",
    tier: "user_fixable",
    message: `${file} was made by another version of Sylk and cannot be made anew: its folder is read-only`,
    fix: "give yourself write access, or copy the project's files and set SYLK_HOME",
  });
}

/** Removes the database; the next opening starts anew. */
export function removeKnowledgeDatabase(file: string): void {
  remove(file);
}
