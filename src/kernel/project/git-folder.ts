/**
 * Where git keeps what belongs to one checkout, told by files alone: git itself would believe its configuration.
 * A `.git` file counts only when the folder it names points back at it, as git's own work trees do.
 */
import { lstatSync, readFileSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";

const MAX_POINTER_BYTES = 4_096;

export function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

/** True on systems that do not tell owners. */
export function isOwn(stats: Stats): boolean {
  const me = process.getuid?.();
  return me === undefined || stats.uid === me;
}

/** A small regular file's text; undefined for links, devices, folders and whatever cannot be read. */
export function smallText(file: string, maxBytes: number): string | undefined {
  const stats = lookAt(file);
  if (stats === undefined || !stats.isFile() || stats.size > maxBytes) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const realPath = (file: string): string | undefined => {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
};

/** The repository without a checkout that a folder is or stands in: all of it decides what git runs. */
export function bareAround(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (lookAt(path.join(at, ".git")) !== undefined) return undefined;
    const isFolder = (name: string): boolean => lookAt(path.join(at, name))?.isDirectory() === true;
    if (lookAt(path.join(at, "HEAD")) !== undefined && isFolder("objects") && isFolder("refs")) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** The checkout's own git folder, when the user owns it. */
export function ownGitFolder(folder: string): string | undefined {
  const git = path.join(folder, ".git");
  const stats = lookAt(git);
  if (stats === undefined || !isOwn(stats)) return undefined;
  if (stats.isDirectory()) return lookAt(path.join(git, "HEAD"))?.isFile() === true ? git : undefined;
  const named = /^gitdir: (.+)$/mu.exec(smallText(git, MAX_POINTER_BYTES) ?? "")?.[1];
  if (named === undefined) return undefined;
  const target = path.resolve(folder, named.trim());
  const targetStats = lookAt(target);
  if (targetStats === undefined || !targetStats.isDirectory() || !isOwn(targetStats)) return undefined;
  const back = smallText(path.join(target, "gitdir"), MAX_POINTER_BYTES)?.trim();
  const here = realPath(git);
  return back !== undefined && here !== undefined && realPath(path.resolve(target, back)) === here ? target : undefined;
}
