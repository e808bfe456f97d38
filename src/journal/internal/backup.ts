/** Online backups: consistent, checked before they count, pruned per kind (STO-023…026). */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { isoTime, SylkError, messageOf, type Clock, must } from "../../kernel/index.ts";
import { rowOf } from "./rows.ts";

export type BackupKind = "periodic" | "migration" | "session";

export interface BackupOptions {
  source: DatabaseSync;
  dir: string;
  kind: BackupKind;
  clock: Clock;
  /** How many of this kind stay. */
  keep: number;
}

function stamp(ms: number): string {
  return isoTime(ms).replace(/[-:]/g, "").replace("T", "_").slice(0, 19).replace(".", "_");
}

/** Newest first. */
export function listBackups(dir: string, kind?: BackupKind): string[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names
    .filter((name) => /^journal_\d{8}_\d{6}(_\d+)?_[a-z]+\.db$/.test(name) && (kind === undefined || name.endsWith(`_${kind}.db`)))
    .sort()
    .reverse()
    .map((name) => path.join(dir, name));
}

/** The folder itself may be the trouble; then there is nothing to remove. */
function removeQuietly(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      rmSync(file + suffix, { force: true });
    } catch {
      return;
    }
  }
}

export async function writeBackup(options: BackupOptions): Promise<string> {
  const target = path.join(options.dir, `journal_${stamp(options.clock.now())}_${options.kind}.db`);
  const partial = `${target}.partial-${process.pid}`;
  try {
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    await backup(options.source, partial);
    const copy = new DatabaseSync(partial, { readOnly: true });
    const verdict = must(rowOf(copy.prepare("PRAGMA quick_check(1)").get(), { quick_check: "text" }));
    copy.close();
    if (verdict.quick_check !== "ok") throw new Error(`the copy fails its check: ${verdict.quick_check}`);
    renameSync(partial, target);
  } catch (error) {
    removeQuietly(partial);
    throw new SylkError({
      code: "BACKUP_FAILED",
      tier: "user_fixable",
      message: `backup to ${target} failed: ${messageOf(error)}`,
      fix: `check free space and write access in ${options.dir}`,
      cause: error,
    });
  }
  for (const old of listBackups(options.dir, options.kind).slice(options.keep)) rmSync(old, { force: true });
  return target;
}
