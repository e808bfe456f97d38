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

const DESCRIPTORS = "/proc/self/fd";
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS);
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;
const LINKED = new Set(["ELOOP", "ENOTDIR"]);

/** Does `work` with a way to the folder; folders that are missing are made. */
function holding<T>(root: string, folder: string, work: (way: string) => T): T {
  const held = [openSync(root, FOLDER)];
  let at = root;
  const wayTo = (name: string): string => (HAS_DESCRIPTORS ? `${DESCRIPTORS}/${held.at(-1)}/${name}` : path.join(at, name));
  try {
    for (const name of folder.split(path.sep).filter((part) => part !== "" && part !== ".")) {
      const way = wayTo(name);
      at = path.join(at, name);
      try {
        mkdirSync(way);
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw writeError(at, error);
      }
      held.push(openFolder(way, at));
    }
    return work(wayTo("."));
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

function openFolder(way: string, shown: string): number {
  try {
    return openSync(way, FOLDER | constants.O_NOFOLLOW);
  } catch (error) {
    if (!LINKED.has(systemCode(error) ?? "")) throw writeError(shown, error);
    throw new SylkError({
      code: "FILE_WRITE_FAILED",
      tier: "user_fixable",
      message: `${shown} is a link or no folder; nothing is written through it`,
      fix: "put a folder in its place, or remove it",
      cause: error,
    });
  }
}

/**
 * Writes `file`, relative to `root`, into somebody's folder: every folder on the way is held while it is gone through,
 * and a link in place of one is not followed, whatever is put there meanwhile.
 */
export function writeInside(
  root: string,
  file: string,
  data: string | Uint8Array,
  { sync = true, mode }: { sync?: boolean; mode?: number } = {},
): void {
  const shown = path.join(root, file);
  holding(root, path.dirname(file), (way) =>
    writeFileAtomic(path.join(way, path.basename(file)), data, { sync, shown, ...(mode === undefined ? {} : { mode }) }),
  );
}
