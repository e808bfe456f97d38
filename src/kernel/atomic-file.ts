/** Writes of Sylk's own small files: whole or not at all, readable by the owner only when asked. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { systemClock } from "./clock.ts";
import { SylkError, messageOf, systemCode } from "./errors.ts";
import { tempFiles } from "./temp-name.ts";

export interface AtomicWriteOptions {
  /** File mode; 0o600 for anything private. */
  mode?: number;
  /** False for what can be rebuilt: whole or not at all, but not forced to disk. */
  sync?: boolean;
  /** What errors call it, where `file` leads through a descriptor. */
  shown?: string;
}

/** Folders whose dead leftovers this process has looked for; it leaves none itself. */
const swept = new Set<string>();

function sweepOnce(folder: string, known: string): void {
  if (swept.has(known)) return;
  swept.add(known);
  for (const entry of readdirSync(folder)) if (tempFiles.isDead(entry)) rmSync(path.join(folder, entry), { force: true });
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function writeFileAtomic(file: string, data: string | Uint8Array, options: AtomicWriteOptions = {}): void {
  const { shown = file } = options;
  const temp = path.join(path.dirname(file), tempFiles.nameFor(path.basename(file), systemClock.now()));
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    sweepOnce(path.dirname(file), path.dirname(shown));
    const fd = openSync(temp, "wx", options.mode ?? 0o644);
    try {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      if (options.sync !== false) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, file);
    if (options.sync !== false && process.platform !== "win32") syncFolder(path.dirname(file));
  } catch (error) {
    try {
      rmSync(temp, { force: true });
    } catch {
      // The first failure is the one to report.
    }
    throw writeError(shown, error);
  }
}

/** A folder that cannot be made is reported as missing; why is told by the nearest one that is there. */
function refusalOf(file: string, code: string | undefined): string | undefined {
  if (code !== "ENOENT") return code;
  let at = path.dirname(file);
  while (!existsSync(at) && at !== path.dirname(at)) at = path.dirname(at);
  try {
    accessSync(at, constants.W_OK);
    return code;
  } catch (refused) {
    return systemCode(refused) ?? code;
  }
}

/** Turns a failed write into an error that tells a user what to do. */
export function writeError(file: string, error: unknown): SylkError {
  const code = refusalOf(file, systemCode(error));
  const fixes: Record<string, string> = {
    EACCES: `give yourself write access to ${path.dirname(file)}`,
    EPERM: `give yourself write access to ${path.dirname(file)}`,
    EROFS: `${path.dirname(file)} is on a read-only file system; choose another folder with SYLK_HOME or -C`,
    ENOSPC: "free some disk space and try again; nothing was changed",
    EDQUOT: "your disk quota is used up; free some space and try again",
    EEXIST: `a part of ${path.dirname(file)} is a file, not a folder; move it away`,
    ENOTDIR: `a part of ${path.dirname(file)} is a file, not a folder; move it away`,
  };
  return new SylkError({
    code: "FILE_WRITE_FAILED",
    tier: code !== undefined && code in fixes ? "user_fixable" : "permanent",
    message: `cannot write ${file}: ${code === "EROFS" ? "the file system is read-only" : messageOf(error)}`,
    fix: code === undefined ? undefined : fixes[code],
    cause: error,
  });
}
