/** `projects/<id>/project.json`: which folder a project's private files belong to. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "../atomic-file.ts";
import { lookAt, smallText } from "./git-folder.ts";

const MAX_RECORD_BYTES = 64_000;

const recordSchema = z.union([
  z.object({
    version: z.literal(1),
    /** The folder's real path. */
    path: z.string(),
    /** A mark stands in its git folder. */
    marked: z.boolean(),
    /** What tells a folder without a mark again. */
    inode: z.string(),
  }),
  /** The folder holds a project that was begun elsewhere. */
  z.object({ version: z.literal(1), same_as: z.string() }),
]);

type AnyRecord = z.infer<typeof recordSchema>;
export type ProjectRecord = Extract<AnyRecord, { path: string }>;

const fileOf = (projects: string, id: string): string => path.join(projects, id, "project.json");

function read(projects: string, id: string): AnyRecord | undefined {
  const text = smallText(fileOf(projects, id), MAX_RECORD_BYTES);
  if (text === undefined) return undefined;
  try {
    const parsed = recordSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** The record an id stands for, wherever it was begun. */
export function findRecord(projects: string, id: string): { id: string; record: ProjectRecord } | undefined {
  const found = read(projects, id);
  if (found === undefined) return undefined;
  if ("path" in found) return { id, record: found };
  const target = read(projects, found.same_as);
  return target !== undefined && "path" in target ? { id: found.same_as, record: target } : undefined;
}

/** Every project's record. */
export function allRecords(projects: string): { id: string; record: ProjectRecord }[] {
  try {
    return readdirSync(projects).flatMap((id) => {
      const found = read(projects, id);
      return found !== undefined && "path" in found ? [{ id, record: found }] : [];
    });
  } catch {
    return [];
  }
}

export function writeRecord(projects: string, id: string, record: AnyRecord): void {
  writeFileAtomic(fileOf(projects, id), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** Device, number and birth of a folder. */
export function inodeOf(folder: string): string {
  const stats = lookAt(folder);
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${Math.trunc(stats.birthtimeMs)}`;
}

/** The folder a record was made for, at the path it has. Numbers of devices change when a machine starts anew. */
export function isSameFolder(record: ProjectRecord, folder: string): boolean {
  const withoutDevice = (inode: string): string => inode.slice(inode.indexOf(":"));
  return withoutDevice(record.inode) === withoutDevice(inodeOf(folder));
}
