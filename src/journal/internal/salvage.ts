/**
 * Recovery from a damaged database (STO-022): reads every event that can still be read, from the
 * damaged file and from backups, keeps the longest verified prefix of each stream, and puts the
 * damaged file aside. Nothing is deleted; what does not fit the chain is written to a side file.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { canonicalJson, isoTime, writeFileAtomic, type Clock, must } from "../../kernel/index.ts";
import { Archives } from "./archive.ts";
import { listBackups } from "./backup.ts";
import { openDatabase } from "./database.ts";
import { eventHash, GENESIS, toHex, type StoredEvent, STORED_EVENT } from "./event-codec.ts";
import { rowOf, rowsOf } from "./rows.ts";

export interface SalvageReport {
  kept: number;
  /** Events that could be read but do not continue a verified chain. */
  setAside: number;
  /** Positions known to have existed that no source could give. */
  missing: number;
  damagedFile: string;
  setAsideFile: string | undefined;
}

interface Source {
  events: Map<number, StoredEvent>;
  blobs: Map<string, Record<string, unknown>>;
  tables: Record<"work" | "counters" | "blob_refs", Record<string, unknown>[]>;
  signatures: Record<string, unknown>[];
  head: number;
}

const STEP = 500;

function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Reads what can be read; a damaged page costs the rows on it, not the rest. */
function readSource(file: string): Source {
  const source: Source = {
    events: new Map(),
    blobs: new Map(),
    tables: { work: [], counters: [], blob_refs: [] },
    signatures: [],
    head: 0,
  };
  const db = attempt(() => new DatabaseSync(file, { readOnly: true }), undefined);
  if (db === undefined) return source;
  const highest = attempt(() => must(rowOf(db.prepare("SELECT max(position) AS m FROM events").get(), { m: "number?" })).m ?? 0, 0);
  source.head = Math.max(
    highest,
    attempt(() => must(rowOf(db.prepare("SELECT seq FROM streams WHERE stream = ''").get(), { seq: "number" })).seq, 0),
  );
  const keep = (rows: StoredEvent[]): void => {
    for (const row of rows) source.events.set(row.position, row);
  };
  for (let from = 1; from <= source.head; from += STEP) {
    const whole = attempt(
      () => rowsOf(db.prepare("SELECT * FROM events WHERE position BETWEEN ? AND ?").all(from, from + STEP - 1), STORED_EVENT),
      undefined,
    );
    if (whole !== undefined) keep(whole);
    else
      for (let at = from; at < from + STEP; at += 1)
        keep(attempt(() => rowsOf(db.prepare("SELECT * FROM events WHERE position = ?").all(at), STORED_EVENT), []));
  }
  keep(attempt(() => new Archives(db).between(0, Number.MAX_SAFE_INTEGER), []));
  for (const { hash } of attempt(() => rowsOf(db.prepare("SELECT hash FROM blobs").all(), { hash: "text" }), [])) {
    const row = attempt(() => db.prepare("SELECT * FROM blobs WHERE hash = ?").get(hash), undefined);
    if (row !== undefined) source.blobs.set(hash, row);
  }
  for (const table of ["work", "counters", "blob_refs"] as const)
    source.tables[table] = attempt(() => db.prepare(`SELECT * FROM ${table}`).all(), []);
  source.signatures = attempt(() => db.prepare("SELECT * FROM signatures ORDER BY number").all(), []);
  attempt(() => db.close(), undefined);
  return source;
}

function isWhole(event: StoredEvent): boolean {
  return attempt(() => eventHash(event, toHex(event.prev_hash)) === toHex(event.hash), false);
}

/** Splits into events that continue a verified chain and those that do not. */
function verified(events: readonly StoredEvent[]): { good: StoredEvent[]; loose: StoredEvent[] } {
  const chains = new Map<string, { seq: number; hash: string }>();
  const good: StoredEvent[] = [];
  const loose: StoredEvent[] = [];
  for (const event of events) {
    const chain = chains.get(event.stream) ?? { seq: 0, hash: GENESIS };
    const hash = toHex(event.hash);
    const fits = event.seq === chain.seq + 1 && toHex(event.prev_hash) === chain.hash && eventHash(event, chain.hash) === hash;
    (fits ? good : loose).push(event);
    if (fits) chains.set(event.stream, { seq: event.seq, hash });
  }
  return { good, loose };
}

function insertAll(db: DatabaseSync, table: string, rows: Iterable<Record<string, unknown>>): void {
  for (const row of rows) {
    const columns = Object.keys(row);
    db.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`).run(
      ...(Object.values(row) as string[]),
    );
  }
}

export async function salvageStore(options: { path: string; clock: Clock; backupDir?: string | undefined }): Promise<SalvageReport> {
  const { path: file, clock } = options;
  const sources = [file, ...(options.backupDir === undefined ? [] : listBackups(options.backupDir))].map(readSource);
  const events = new Map<number, StoredEvent>();
  // The newest source counts, unless what it holds was changed and an older one has it whole.
  for (const source of sources.toReversed())
    for (const [position, event] of source.events) if (isWhole(event) || !events.has(position)) events.set(position, event);
  const { good, loose } = verified([...events.values()].sort((a, b) => a.position - b.position));
  const own = must(sources[0]);
  const head = Math.max(0, ...sources.map((source) => source.head));

  const stamp = isoTime(clock.now()).replace(/[:.]/g, "-");
  const fresh = `${file}.rebuilt-${stamp}`;
  const db = await openDatabase({ path: fresh, clock, durability: "full", busyTimeoutMs: 1_000 });
  db.exec("BEGIN IMMEDIATE");
  // Positions are closed up: a gap in them would read as a removed event for ever after.
  insertAll(
    db,
    "events",
    good.map((event, index) => ({ ...event, position: index + 1 })),
  );
  for (const source of sources.toReversed()) insertAll(db, "blobs", source.blobs.values());
  for (const table of ["work", "counters", "blob_refs"] as const) insertAll(db, table, own.tables[table]);
  db.exec(`INSERT INTO streams (stream, seq, hash, updated_at)
    SELECT e.stream, e.seq, e.hash, e.at FROM events e WHERE e.seq = (SELECT max(seq) FROM events x WHERE x.stream = e.stream)`);
  db.prepare("UPDATE streams SET seq = ? WHERE stream = ''").run(good.length);
  // Old signatures speak of old positions; they stay valid only when nothing moved.
  if (good.length === head && loose.length === 0) insertAll(db, "signatures", own.signatures);
  db.exec("COMMIT");
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();

  const damagedFile = `${file}.damaged-${stamp}`;
  renameSync(file, damagedFile);
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(file + suffix)) renameSync(file + suffix, damagedFile + suffix);
    rmSync(fresh + suffix, { force: true });
  }
  renameSync(fresh, file);
  const setAsideFile = loose.length === 0 ? undefined : `${file}.set-aside-${stamp}.jsonl`;
  if (setAsideFile !== undefined) {
    const lines = loose.map((event) => canonicalJson({ ...event, prev_hash: toHex(event.prev_hash), hash: toHex(event.hash) }));
    writeFileAtomic(setAsideFile, `${lines.join("\n")}\n`, { mode: 0o600 });
  }
  return { kept: good.length, setAside: loose.length, missing: head - good.length - loose.length, damagedFile, setAsideFile };
}
