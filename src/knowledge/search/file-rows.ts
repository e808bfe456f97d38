/** Rows of files that are asked for again and again, kept until the database changes. */
import type { DatabaseSync } from "node:sqlite";
import { vocabularyOf } from "./vocabulary.ts";

export interface FileRow {
  path: string;
  kind: string;
  changes: number;
  test: number;
}

export interface FileRows {
  /** Forgets when the database changed; the number returned changes with it. */
  refresh(): number;
  /** Reads what is not yet known of them, all at once. */
  load(keys: Iterable<number>): void;
  get(key: number): FileRow | undefined;
}

const MAX_KEPT = 200_000;

export function createFileRows(db: DatabaseSync): FileRows {
  const words = vocabularyOf(db);
  const select = db.prepare("SELECT f.key, f.path, f.kind, f.changes, f.test FROM json_each(?) j JOIN files f ON f.key = j.value");
  const files = new Map<number, FileRow | undefined>();
  let version: number | undefined;
  const load = (keys: Iterable<number>): void => {
    const missing = [...new Set(keys)].filter((key) => !files.has(key));
    if (missing.length === 0) return;
    for (const key of missing) files.set(key, undefined);
    for (const { key, ...row } of select.all(JSON.stringify(missing)) as unknown as (FileRow & { key: number })[]) files.set(key, row);
  };
  return {
    refresh() {
      const now = words.refresh();
      if (now !== version || files.size >= MAX_KEPT) files.clear();
      version = now;
      return now;
    },
    load,
    get(key) {
      if (!files.has(key)) load([key]);
      return files.get(key);
    },
  };
}
