/**
 * `.git` and `.sylk` of a work folder belong to the person. What is there is read-only to commands; where
 * nothing is, an empty folder holds the place while commands run, so that none can put one there that
 * would count later. It is removed with the last command; one that a crash left is empty and goes next time.
 */
import { lstatSync, mkdirSync, readlinkSync, readdirSync, rmSync, rmdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../kernel/index.ts";

const MARKS = [".git", ".sylk"];

export interface WorkMarks {
  /** Places to be mounted read-only over themselves. */
  readOnly: string[];
  release(): void;
}

const held = new Map<string, number>();

function isEmptyFolder(place: string): boolean {
  return lstatSync(place).isDirectory() && readdirSync(place).length === 0;
}

/** Makes sure that something stands there; undefined when it was there before. */
function holdPlace(place: string): (() => void) | undefined {
  const info = lstatSync(place, { throwIfNoEntry: false });
  if (info !== undefined && !isEmptyFolder(place)) return undefined;
  try {
    if (info === undefined) mkdirSync(place, { mode: 0o755 });
  } catch (error) {
    // Where this user may make nothing, a command may not either.
    if (["EACCES", "EROFS", "EPERM"].includes(systemCode(error) ?? "")) return undefined;
    if (systemCode(error) !== "EEXIST") throw error;
  }
  held.set(place, (held.get(place) ?? 0) + 1);
  return () => {
    const users = (held.get(place) ?? 1) - 1;
    if (users > 0) {
      held.set(place, users);
      return;
    }
    held.delete(place);
    try {
      rmdirSync(place);
    } catch (error) {
      // Somebody else removed it, or the person has made a repository here meanwhile.
      if (!["ENOENT", "ENOTEMPTY", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
    }
  };
}

/** A link cannot be covered: it is put back as it was. */
function keepLink(place: string): (() => void) | undefined {
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  const target = readlinkSync(place);
  return () => {
    const info = lstatSync(place, { throwIfNoEntry: false });
    if (info?.isSymbolicLink() === true && readlinkSync(place) === target) return;
    rmSync(place, { recursive: true, force: true });
    symlinkSync(target, place);
  };
}

/** `nested` are `.git`s further down, found before the command. */
export function holdMarks(folders: readonly string[], nested: readonly string[]): WorkMarks {
  const readOnly: string[] = [];
  const undo: (() => void)[] = [];
  for (const place of [...folders.flatMap((folder) => MARKS.map((name) => path.join(folder, name))), ...nested]) {
    const link = keepLink(place);
    const made = link ?? (nested.includes(place) ? undefined : holdPlace(place));
    if (made !== undefined) undo.push(made);
    if (link === undefined) readOnly.push(place);
  }
  return { readOnly, release: () => undo.forEach((step) => step()) };
}
