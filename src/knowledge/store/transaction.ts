/**
 * One transaction that writes. Another process may be writing: it is waited for in short turns, so that a thread
 * that must end can end between two of them.
 */
import type { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../kernel/index.ts";

/** One turn of waiting within the database, and all of them. */
export const WRITE_WAIT = { turnMs: 500, mostMs: 30_000 };
const BUSY = 5;

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;
}

function beginWriting(db: DatabaseSync): void {
  const until = systemClock.monotonic() + WRITE_WAIT.mostMs;
  for (;;) {
    try {
      db.exec("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      if (!isBusy(error) || systemClock.monotonic() > until) throw error;
    }
  }
}

/** Within another one, it is part of that. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work();
  beginWriting(db);
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}
