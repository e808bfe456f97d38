import type { DatabaseSync } from "node:sqlite";
import { prepareWrite } from "./prepare-write.ts";
import { transaction } from "./transaction.ts";

/** Small facts about the index itself: head of git, state of linking, embedding model. */
export function readMeta(db: DatabaseSync, name: string): string | undefined {
  return (db.prepare("SELECT value FROM meta WHERE name = ?").get(name) as { value: string } | undefined)?.value;
}

export function writeMeta(db: DatabaseSync, name: string, value: string): void {
  const put = prepareWrite(db, "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value");
  transaction(db, () => put.run(name, value));
}
