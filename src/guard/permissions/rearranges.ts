/**
 * Files are judged before a line runs. A command that brings or moves links makes the rest of the same line
 * mean other files than those that were judged.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Invocation } from "../shell/unwrap-command.ts";
import { isFolder } from "./decide-path.ts";
import { expandHome, type Place } from "./decide-reads.ts";
import { FILE_COMMANDS } from "./safe-lists.ts";

const MAX_ENTRIES = 2_000;
/** Of git, what leaves the files of the work tree as they are. */
const GIT_KEEPS_FILES: ReadonlySet<string> = new Set(
  "status diff log show blame ls-files ls-tree rev-parse shortlog describe grep branch add commit remote fetch".split(" "),
);
const NAMES_NO_FILE: ReadonlySet<string> = new Set(["echo", "printf", "true", "false", "pwd", "sleep", "git", ""]);

/** True when links stand in a folder, or too much to look through. */
function holdsLinks(folder: string): boolean {
  let left = MAX_ENTRIES;
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      left -= 1;
      if (left < 0 || entry.isSymbolicLink()) return true;
      if (entry.isDirectory()) folders.push(path.join(at, entry.name));
    }
  }
  return false;
}

function bringsLinks(place: Place, { name, args }: Invocation): boolean {
  if (name === "git") return !GIT_KEEPS_FILES.has(args.find((w) => w.value?.startsWith("-") !== true)?.value ?? "");
  if (name !== "cp" && name !== "mv") return false;
  return args.some((word) => {
    const text = expandHome(word, place.context.home);
    if (text === undefined) return true;
    return place.folders.some((cwd) => {
      const file = path.resolve(cwd, text);
      try {
        return isFolder(file) && holdsLinks(file);
      } catch {
        return true;
      }
    });
  });
}

/** True when a part of the line changes which files the other parts of it name. */
export function rearranges(place: Place, invocations: readonly Invocation[]): boolean {
  const users = invocations.filter(
    ({ name, transparent, redirects }) => !transparent && (!NAMES_NO_FILE.has(name) || redirects.length > 0),
  );
  return invocations.some((one) => bringsLinks(place, one) && users.some((other) => other !== one));
}

/** True when the line makes files, whose names a pattern in it may then become. */
export function makesFiles(invocations: readonly Invocation[]): boolean {
  return invocations.some(
    ({ name, redirects }) => Object.hasOwn(FILE_COMMANDS, name) || redirects.some(({ operator }) => operator.includes(">")),
  );
}

/** True when another part of the line puts files somewhere that can be started. */
export const bringsPrograms = (invocations: readonly Invocation[], to: Invocation): boolean =>
  invocations.some((one) => one !== to && (one.name === "cp" || one.name === "mv"));
