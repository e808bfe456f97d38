/** The database's shape, as migrations in ascending order (STO-019). Data, not logic. */
import type { DatabaseSync } from "node:sqlite";

export interface Migration {
  version: number;
  description: string;
  /** Needs a backup first. */
  destructive: boolean;
  up(db: DatabaseSync): void;
}

export const APPLICATION_ID = 0x53594c4b; // "SYLK"

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    description: "events, streams, views, blobs, work, counters, archives, signatures",
    destructive: false,
    up(db) {
      db.exec(`
        CREATE TABLE events (
          position INTEGER PRIMARY KEY,
          stream TEXT NOT NULL, seq INTEGER NOT NULL,
          id TEXT NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL,
          causation_id TEXT, correlation_id TEXT,
          payload TEXT NOT NULL, prev_hash BLOB NOT NULL, hash BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX events_by_stream ON events (stream, seq);
        CREATE UNIQUE INDEX events_by_id ON events (id);
        CREATE TABLE streams (
          stream TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash BLOB NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- The stream without a name stands for the whole journal: its sequence is the last position.
        INSERT INTO streams VALUES ('', 0, zeroblob(32), 0);
        CREATE TABLE archives (
          stream TEXT NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL,
          first_position INTEGER NOT NULL, last_position INTEGER NOT NULL, data BLOB NOT NULL,
          PRIMARY KEY (stream, from_seq)
        ) STRICT;
        CREATE TABLE views (name TEXT PRIMARY KEY, version INTEGER NOT NULL, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE view_rows (
          view TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY (view, key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE blobs (
          hash TEXT PRIMARY KEY, bytes INTEGER NOT NULL, codec TEXT NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL
        ) STRICT;
        CREATE TABLE blob_refs (hash TEXT NOT NULL, stream TEXT NOT NULL, PRIMARY KEY (hash, stream)) STRICT, WITHOUT ROWID;
        CREATE TABLE work (
          key TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, lease_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE counters (key TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE signatures (
          number INTEGER PRIMARY KEY, statement TEXT NOT NULL, public_key TEXT NOT NULL, signature BLOB NOT NULL
        ) STRICT;
      `);
    },
  },
  {
    version: 2,
    description: "work that waits to be taken, by kind",
    destructive: false,
    up(db) {
      db.exec(`
        ALTER TABLE work ADD COLUMN kind TEXT NOT NULL DEFAULT '';
        ALTER TABLE work ADD COLUMN offered_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE work ADD COLUMN wake_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE work ADD COLUMN wake_stream TEXT NOT NULL DEFAULT '';
        ALTER TABLE work ADD COLUMN wake_after INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX work_by_kind ON work (kind, offered_at) WHERE kind <> '';
      `);
    },
  },
];
