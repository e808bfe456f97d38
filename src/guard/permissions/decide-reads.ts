/** Which files a command's arguments may name, and whether this agent may use them. */
import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../kernel/index.ts";
import type { Word } from "../shell/types.ts";
import { decidePath, isFolder } from "./decide-path.ts";
import { globTargets } from "./glob-targets.ts";
import { ask, combine, type Decision, type PermissionContext } from "./types.ts";

/** Where the line may be at a given command: the start, and wherever a `cd` could have led. */
export interface Place {
  context: PermissionContext;
  folders: string[];
  lost: boolean;
  /** The line makes files, of any name. */
  makesFiles: boolean;
  /** Another part of it may put a program somewhere. */
  bringsPrograms: boolean;
}

export function expandHome(word: Word, home: string): string | undefined {
  if (word.value === undefined) return undefined;
  return word.tilde ? path.join(home, word.value.slice(1)) : word.value;
}

export function decideEverywhere(place: Place, file: string, access: "read" | "write" | "delete"): Decision {
  if (place.lost && !path.isAbsolute(file)) return ask(`use ${file} in a folder that is decided at run time`);
  return combine(place.folders.map((cwd) => decidePath({ ...place.context, cwd }, file, access)));
}

/** A link that leads nowhere stands there too. What cannot be looked at may. */
function standsAt(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return systemCode(error) !== "ENAMETOOLONG";
  }
}

/** What could be a value glued to an option: after `=`, or after any letter of a cluster. */
function gluedTo(option: string): string[] {
  const usual = option.includes("=") ? option.slice(option.indexOf("=") + 1) : option.slice(2);
  if (option.startsWith("--")) return [usual];
  return [usual, ...Array.from({ length: Math.max(0, option.length - 2) }, (_v, i) => option.slice(i + 2))];
}

/** Paths an argument could name: itself, the file in `commit:file`, or a value glued to an option that looks like one or is one. */
function pathsIn(place: Place, text: string): string[] {
  if (!text.startsWith("-")) return text.includes(":") ? [text, text.slice(text.lastIndexOf(":") + 1)] : [text];
  const [usual = "", ...others] = gluedTo(text);
  const isThere = (name: string): boolean => name !== "" && place.folders.some((cwd) => standsAt(path.resolve(cwd, name)));
  return [...(/\/|^[.~]/u.test(usual) || isThere(usual) ? [usual] : []), ...others.filter(isThere)];
}

function decidePattern(place: Place, word: Word): Decision[] {
  const hidden = path.posix.basename(word.leading).startsWith(".") || /(?:^|\/)\.[^/.]*[*?[]/.test(word.source);
  if (hidden) return [ask(`read hidden files (${word.source})`)];
  const pattern = word.tilde ? path.join(place.context.home, word.source.slice(1)) : word.source;
  const folder = word.tilde ? path.join(place.context.home, word.leading.slice(1)) : word.leading;
  const decisions = [decideEverywhere(place, folder === "" ? "." : folder, "read")];
  for (const cwd of place.folders) {
    const targets = globTargets(cwd, pattern);
    if (targets === undefined) decisions.push(ask(`read ${word.source}, which names too much to judge`));
    else decisions.push(...targets.map((file) => decideEverywhere({ ...place, folders: [cwd] }, file, "read")));
  }
  return decisions;
}

export function decideReads(place: Place, args: readonly Word[]): Decision[] {
  return args.flatMap((word): Decision[] => {
    const text = expandHome(word, place.context.home);
    if (text !== undefined) return pathsIn(place, text).map((file) => decideEverywhere(place, file, "read"));
    if (word.computed) return [ask(`read ${word.source}, which is decided at run time`)];
    return decidePattern(place, word);
  });
}

/** True when an argument names a folder, or could. */
export function mayNameFolder(place: Place, args: readonly Word[]): boolean {
  return args.some((word) => {
    const text = expandHome(word, place.context.home);
    return text === undefined || place.folders.some((cwd) => isFolder(path.resolve(cwd, text)));
  });
}

/** True when a file of this name lies in a folder the command may run in, or above it inside the project. */
export function liesAbove(place: Place, name: string): boolean {
  if (place.lost) return true;
  return place.folders.some((start) => {
    for (let at = start; ; at = path.dirname(at)) {
      if (existsSync(path.join(at, name))) return true;
      if (place.context.roots.includes(at) || at === path.dirname(at)) return false;
    }
  });
}

/** True when a pattern that begins with a wildcard may become a word with a dash in front. */
export function patternMayBeOption(place: Place, pattern: string): boolean {
  if (place.lost || place.makesFiles) return true;
  return place.folders.some((cwd) => globTargets(cwd, pattern)?.some((file) => path.relative(cwd, file).startsWith("-")) ?? true);
}
