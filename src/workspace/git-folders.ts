/**
 * The git folders behind a work folder, as they are before the first command runs in it. A `.git` file
 * is somebody's word: it counts as a work tree only when the folder it names points back at this very
 * file, belongs to the shared folder around it, and nothing on the way is a link.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import path from "node:path";

/** A work tree that Sylk made: commits on its own branch are taken over from a copy. */
export interface OwnTree {
  id: string;
  gitDir: string;
  commonDir: string;
  top: string;
}

/** Where a tree that stands apart has git objects of its own. */
export const objectsOf = (gitDir: string): string => path.join(gitDir, "sylk-objects");

/** Makes git write to them, and read the common ones beside; nothing for a tree that has none. */
export function ownObjects(gitDir: string, commonDir: string): Record<string, string> {
  const own = objectsOf(gitDir);
  if (lstatSync(own, { throwIfNoEntry: false })?.isDirectory() !== true) return {};
  return { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(commonDir, "objects") };
}

const MAX_SMALL_BYTES = 4_096;

/** The text of a small regular file without the last line feed; undefined for anything else. Never follows a link, never waits. */
export function readSmall(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const info = fstatSync(fd);
    if (!info.isFile() || info.size > MAX_SMALL_BYTES) return undefined;
    const bytes = Buffer.alloc(info.size);
    return bytes
      .subarray(0, readSync(fd, bytes, 0, info.size, 0))
      .toString("utf8")
      .replace(/\n$/u, "");
  } finally {
    closeSync(fd);
  }
}

/** What a ref that stands in a file of its own names; undefined where git has to be asked. */
export function readRef(commonDir: string, ref: string): string | undefined {
  return /^[0-9a-f]{40,64}$/u.exec(readSmall(path.join(commonDir, ref)) ?? "")?.[0];
}

export function realOf(place: string): string | undefined {
  try {
    return realpathSync(place);
  } catch {
    return undefined;
  }
}

/** The git folder that a `.git` is, or names as a file or a link; undefined when there is none. */
export function gitDirOf(mark: string): string | undefined {
  const real = realOf(mark);
  if (real === undefined) return undefined;
  if (lstatSync(real).isDirectory()) return real;
  const named = /^gitdir: (.+)$/u.exec(readSmall(real) ?? "")?.[1];
  return named === undefined ? undefined : realOf(path.resolve(path.dirname(mark), named));
}

/** That folder and the one it shares with other work trees, each once. */
export function gitDirsOf(mark: string): string[] {
  const own = gitDirOf(mark);
  if (own === undefined) return [];
  const named = readSmall(path.join(own, "commondir"));
  const common = named === undefined ? undefined : realOf(path.resolve(own, named));
  return common === undefined || common === own ? [own] : [own, common];
}

const isReal = (place: string): boolean => realOf(place) === place;

/** The nearest folder at or above with a `.git`. */
export function topOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (lstatSync(path.join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** Sylk's own work tree around a folder; undefined for every other repository, which commands only read. */
export function ownTreeOf(folder: string): OwnTree | undefined {
  const top = topOf(folder);
  const gitDir = top === undefined ? undefined : /^gitdir: (\/.+)$/u.exec(readSmall(path.join(top, ".git")) ?? "")?.[1];
  if (top === undefined || gitDir === undefined) return undefined;
  const commonDir = path.resolve(gitDir, "../..");
  const id = /^ref: refs\/heads\/sylk\/([A-Za-z0-9][A-Za-z0-9._-]*)$/u.exec(readSmall(path.join(gitDir, "HEAD")) ?? "")?.[1];
  const inside = gitDir === folder || gitDir.startsWith(`${folder}${path.sep}`);
  const known =
    id !== undefined &&
    !inside &&
    id === path.basename(top) &&
    path.basename(path.dirname(gitDir)) === "worktrees" &&
    readSmall(path.join(gitDir, "gitdir")) === path.join(top, ".git") &&
    path.resolve(gitDir, readSmall(path.join(gitDir, "commondir")) ?? "") === commonDir &&
    [top, gitDir, path.join(commonDir, "objects"), path.join(commonDir, "refs/heads")].every(isReal);
  return known ? { id, gitDir, commonDir, top } : undefined;
}
