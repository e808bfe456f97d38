/**
 * How far each journal of this user had come: the newest signed statement of every one, in a small database
 * of its own, so that no file of a project can be lost or set back without notice. A number here only rises.
 */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isoTime, messageOf, type Clock } from "../../kernel/index.ts";
import type { AnchorRow, Kept } from "./anchor-row.ts";
import { sqliteCode } from "./sqlite-errors.ts";
import { readOnlyUrl } from "./read-only-url.ts";
import { rowOf } from "./rows.ts";

export interface LedgerOptions {
  file: string;
  /** This journal's name among all of the user's. */
  journal: string;
}

const BUSY_TIMEOUT_MS = 5_000;
const NOT_A_DATABASE = [11, 26];

function connect(file: string): DatabaseSync {
  const url = readOnlyUrl(file);
  if (url !== undefined) return new DatabaseSync(url, { readOnly: true });
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  db.exec(
    "CREATE TABLE IF NOT EXISTS anchors (journal TEXT PRIMARY KEY, number INTEGER NOT NULL, statement TEXT NOT NULL, public_key TEXT NOT NULL, signature TEXT NOT NULL) STRICT, WITHOUT ROWID",
  );
  return db;
}

export class AnchorLedger {
  private db: DatabaseSync | undefined;
  private readonly options: LedgerOptions;
  private readonly clock: Clock;

  constructor(options: LedgerOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
  }

  get place(): string {
    return this.options.file;
  }

  /** Looking creates nothing. */
  read(): Kept {
    if (this.db === undefined && !existsSync(this.options.file)) return { kind: "missing" };
    try {
      this.db ??= connect(this.options.file);
      const row = rowOf(
        this.db.prepare("SELECT number, statement, public_key, signature FROM anchors WHERE journal = ?").get(this.options.journal),
        { number: "number", statement: "text", public_key: "text", signature: "text" },
      );
      return row === undefined ? { kind: "missing" } : { kind: "kept", row: { ...row } };
    } catch (error) {
      return { kind: "unreadable", why: messageOf(error) };
    }
  }

  /** Never backwards, unless a user accepted a new beginning. */
  write(row: AnchorRow, { anew }: { anew: boolean }): void {
    if (anew) this.setDamagedAside();
    this.db ??= connect(this.options.file);
    this.db
      .prepare(
        `INSERT INTO anchors (journal, number, statement, public_key, signature) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (journal) DO UPDATE SET number = excluded.number, statement = excluded.statement, public_key = excluded.public_key, signature = excluded.signature
         WHERE ${anew ? "true" : "excluded.number > anchors.number"}`,
      )
      .run(this.options.journal, row.number, row.statement, row.public_key, row.signature);
  }

  private setDamagedAside(): void {
    try {
      this.db ??= connect(this.options.file);
    } catch (error) {
      if (!NOT_A_DATABASE.includes(sqliteCode(error) ?? 0)) throw error;
      renameSync(this.options.file, `${this.options.file}.damaged-${isoTime(this.clock.now()).replace(/[:.]/g, "-")}`);
      for (const ending of ["-wal", "-shm"]) rmSync(this.options.file + ending, { force: true });
    }
  }

  close(): void {
    this.db?.close();
    this.db = undefined;
  }
}
