import type { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * A statement that writes. Deleting from a full-text table leaves one of its own huge row numbers as the
 * connection's "last inserted" one, which every later write would report and no number can hold.
 */
export function prepareWrite(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}
