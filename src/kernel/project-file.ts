/**
 * The one way Sylk itself reads and writes a file of somebody's project: a regular file that really lies inside,
 * never more of it than the limit. What is no file (a pipe, a device, a socket) is not waited for, and a
 * link that leads out is not followed, whatever was put there since it was looked at.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import path from "node:path";
import { writeInside } from "./atomic-file.ts";
import { messageOf, systemCode } from "./errors.ts";

export type ProjectFile =
  | {
      kind: "read";
      bytes: Buffer;
      text: string;
      /** The file is longer than the limit. */
      cut: boolean;
      /** Where it really lies, relative to the root. */
      real: string;
    }
  | { kind: "none" }
  | { kind: "refused"; reason: string };

export interface ProjectFileOptions {
  /** Default: 4 MiB. */
  maxBytes?: number | undefined;
}

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const ABSENT = new Set(["ENOENT", "ENOTDIR"]);

function read(root: string, file: string, { maxBytes = DEFAULT_MAX_BYTES }: ProjectFileOptions = {}): ProjectFile {
  let fd: number | undefined;
  try {
    const [top, real] = [realpathSync.native(root), realpathSync.native(path.resolve(root, file))];
    const inside = path.relative(top, real);
    if (isOutside(inside)) return { kind: "refused", reason: "leads out of the project" };
    if (real !== path.resolve(top, file) && inside.split(path.sep).includes(".git"))
      return { kind: "refused", reason: "leads into the git folder" };
    // Without waiting: a pipe nobody writes to would be waited for before it could be told apart.
    fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return { kind: "refused", reason: "is not a regular file" };
    if (openedElsewhere(fd, real)) return { kind: "refused", reason: "was replaced while it was read" };
    const { bytes, cut } = readUpTo(fd, maxBytes);
    return { kind: "read", bytes, text: bytes.toString("utf8"), cut, real: inside.split(path.sep).join("/") };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (ABSENT.has(code)) return { kind: "none" };
    return { kind: "refused", reason: code === "ELOOP" ? "is a link to nowhere" : `cannot be read: ${messageOf(error)}` };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The text when it could be read whole; undefined says nothing about why not. */
function text(root: string, file: string, options?: ProjectFileOptions): string | undefined {
  const found = read(root, file, options);
  return found.kind === "read" && !found.cut ? found.text : undefined;
}

function isOutside(relative: string): boolean {
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** A folder on the way may have become a link between the look and the opening; the system knows what was opened. */
function openedElsewhere(fd: number, expected: string): boolean {
  try {
    const opened = readlinkSync(`/proc/self/fd/${fd}`);
    // Replaced by a newer file since, as every save does: what is held is still the one that stood there.
    return opened !== expected && opened !== `${expected} (deleted)`;
  } catch {
    // No such view on this system: look at the way again.
    return realpathSync.native(expected) !== expected;
  }
}

function readUpTo(fd: number, maxBytes: number): { bytes: Buffer; cut: boolean } {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total <= maxBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes + 1 - total));
    const count = readSync(fd, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  const all = Buffer.concat(chunks);
  return total > maxBytes ? { bytes: all.subarray(0, maxBytes), cut: true } : { bytes: all, cut: false };
}

export const projectFile = { read, text, write: writeInside } as const;
