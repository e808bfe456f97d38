/**
 * `.git` and `.sylk` of a work folder belong to the user. What is there is read-only to commands, with
 * every folder that a `.git` names; where nothing is, an empty folder holds the place while commands run, so
 * that none can put one there that would count later. It is removed with the last command of the last
 * process; one that a crash left is empty and goes next time. Folders on the way to a `.git` further down
 * cannot be renamed. What appeared nevertheless is put aside.
 */
import { lstatSync, mkdirSync, readlinkSync, readdirSync, rmSync, rmdirSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../kernel/index.ts";
import { gitDirsOf, realOf, topOf } from "../git-folders.ts";
import { holdTogether } from "./mark-holders.ts";
import { identityOf, putAside } from "./put-aside.ts";

const MARKS = [".git", ".sylk"];
/** More mounts than this make every command slow; what comes after is only looked at afterwards. */
const MAX_HELD = 200;
/** Parts of a git folder that may be links to elsewhere. */
const PARTS = ["HEAD", "config", "config.worktree", "commondir", "hooks", "info", "objects", "refs", "modules"];

export interface WorkMarks {
  /** Folders to be mounted over themselves, outer ones first: a mount cannot be renamed. */
  pinned: string[];
  /** Places to be mounted read-only over themselves. */
  readOnly: string[];
  /** `found` are the `.git`s that are there after the command. What had to be put aside, one sentence each. */
  release(found: readonly string[]): string[];
}

function isEmptyFolder(place: string): boolean {
  return lstatSync(place).isDirectory() && readdirSync(place).length === 0;
}

function makePlace(place: string): void {
  try {
    mkdirSync(place, { mode: 0o755 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

function removePlace(place: string): void {
  try {
    rmdirSync(place);
  } catch (error) {
    // Somebody else removed it, or the user has made a repository here meanwhile.
    if (!["ENOENT", "ENOTEMPTY", "ENOTDIR", "EEXIST"].includes(systemCode(error) ?? "")) throw error;
  }
}

/** Makes sure that something stands there; undefined when it was there before. */
function holdPlace(place: string): (() => void) | undefined {
  const info = lstatSync(place, { throwIfNoEntry: false });
  if (info !== undefined && !isEmptyFolder(place)) return undefined;
  try {
    return holdTogether(
      place,
      () => makePlace(place),
      () => removePlace(place),
    );
  } catch (error) {
    // Where this user may make nothing, a command may not either.
    if (["EACCES", "EROFS", "EPERM"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** A link cannot be covered: it is put back as it was. */
function keepLink(place: string): (() => void) | undefined {
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  const target = readlinkSync(place);
  return () => {
    const info = lstatSync(place, { throwIfNoEntry: false });
    if (info?.isSymbolicLink() === true && readlinkSync(place) === target) return;
    if (statSync(path.dirname(place), { throwIfNoEntry: false }) === undefined) return;
    rmSync(place, { recursive: true, force: true });
    symlinkSync(target, place);
  };
}

const isIn = (place: string, folder: string): boolean => place === folder || place.startsWith(`${folder}${path.sep}`);

/** Where the parts of a git folder really stand. */
function partsOf(gitDir: string): string[] {
  return PARTS.map((name) => path.join(gitDir, name))
    .filter((place) => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    .flatMap((place) => realOf(place) ?? []);
}

/** Folders and files that git takes for a repository's own because a `.git` says so, as long as commands could write them. */
function namedBy(mark: string, writable: readonly string[]): string[] {
  const dirs = gitDirsOf(mark);
  const outside = dirs.filter((dir) => dir !== mark);
  return [...outside, ...dirs.flatMap(partsOf)].filter((place) => writable.some((root) => place !== root && isIn(place, root)));
}

/** Folders between a place and the root around it. */
function wayTo(place: string, roots: readonly string[]): string[] {
  const root = roots.find((one) => isIn(place, one));
  const way: string[] = [];
  for (let at = path.dirname(place); root !== undefined && at !== root && isIn(at, root); at = path.dirname(at)) way.push(at);
  return way;
}

/** What `.git`s of a folder named when commands first ran there: later ones may have been turned. */
const namedBefore = new Map<string, Set<string>>();

function namedIn(folder: string, marks: readonly string[], writable: readonly string[]): string[] {
  const known = namedBefore.get(folder) ?? new Set<string>();
  namedBefore.set(folder, known);
  for (const mark of marks) for (const place of namedBy(mark, writable)) known.add(place);
  return [...known].filter((place) => lstatSync(place, { throwIfNoEntry: false }) !== undefined);
}

export interface MarksRequest {
  /** Work folders. */
  folders: readonly string[];
  /** All that commands may write. */
  writable: readonly string[];
  /** `.git`s further down, found before the command. */
  nested: readonly string[];
}

export function holdMarks({ folders, writable, nested }: MarksRequest): WorkMarks {
  const own = folders.flatMap((folder) => MARKS.map((name) => path.join(folder, name)));
  const held = nested.filter((place) => !own.includes(place)).slice(0, MAX_HELD);
  const undo: (() => void)[] = [];
  const readOnly: string[] = [];
  const empty = new Set<string>();
  for (const place of [...own, ...held]) {
    const link = keepLink(place);
    const made = link ?? (own.includes(place) ? holdPlace(place) : undefined);
    if (made !== undefined) undo.push(made);
    if (link === undefined) readOnly.push(place);
    if (link === undefined && made !== undefined) empty.add(place);
  }
  const before = new Map([...own, ...nested].map((place) => [place, identityOf(place)]));
  const gitDirs: string[] = [];
  for (const folder of folders) {
    const top = topOf(folder);
    const marks = [...(top === undefined ? [] : [path.join(top, ".git")]), ...held.filter((place) => isIn(place, folder))];
    if (top !== undefined) gitDirs.push(...gitDirsOf(path.join(top, ".git")));
    readOnly.push(...namedIn(folder, marks, writable));
  }
  const pinned = [...new Set(readOnly.flatMap((place) => wayTo(place, writable)))].sort((a, b) => a.length - b.length);
  return {
    pinned,
    readOnly: [...new Set(readOnly)],
    release(found) {
      undo.forEach((step) => step());
      return [...new Set([...own, ...nested, ...found])].flatMap((place) => {
        const earlier = before.get(place);
        const root = folders.find((folder) => isIn(place, folder));
        const now = identityOf(place);
        if (root === undefined || now === undefined || now === earlier) return [];
        const replaced = earlier !== undefined && !empty.has(place);
        return putAside({ place, root, gitDirs, replaced }) ?? [];
      });
    },
  };
}
