/** What people and agents add, and contradictions found among it, as requests to the writing thread. */
import type { DatabaseSync } from "node:sqlite";
import { createConflictWriter } from "../store/conflict-writer.ts";
import { createEntryWriter, type DocumentReport, type NewDocument, type NewLink, type StoredEntry } from "./entry-writer.ts";
import type { FoundConflict } from "../store/conflict-writer.ts";
import type { Payload } from "../../protocol/events/index.ts";

export type EntryAct =
  | { kind: "summary"; entry: Payload<"knowledge.summary_stored">; at: number }
  | { kind: "document"; document: NewDocument; at: number }
  | { kind: "links"; links: readonly NewLink[] }
  | { kind: "settle"; conflict: Payload<"knowledge.conflict_settled">; at: number }
  | { kind: "conflicts"; found: readonly FoundConflict[]; at: number };

export interface EntryResults {
  summary: StoredEntry;
  document: DocumentReport;
  links: void;
  settle: void;
  conflicts: void;
}

export function writeEntry(db: DatabaseSync, act: EntryAct): EntryResults[EntryAct["kind"]] {
  if (act.kind === "summary") return createEntryWriter(db).summary(act.entry, act.at);
  if (act.kind === "document") return createEntryWriter(db).document(act.document, act.at);
  if (act.kind === "links") return createEntryWriter(db).link(act.links);
  if (act.kind === "settle") return createConflictWriter(db).settle(act.conflict, act.at);
  return createConflictWriter(db).note(act.found, act.at);
}
