/**
 * Whether what git was found to be told still holds: a print of every configuration file it reads for a repository, with
 * all that these include. As long as the print is the same nobody changed one. None where that cannot be said: what is
 * included depends on more than files, or one was written a moment ago, as a second change within one tick of the
 * disk's clock would not show.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { systemCode, systemPaths, type Clock } from "../../kernel/index.ts";
import { readConfigs } from "../odd-git-folder.ts";

const TICK_MS = 100;
const NOT_THERE = "none";
/** Included by branch, by folder or by what else is configured; or from a place that only git knows to find. */
const CONDITION = /includeif|=\s*"?(?:~[^/\s]|%\()/iu;

function configsOf(gitDirs: readonly string[]): string[] {
  const home = systemPaths.home();
  const configHome = process.env["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
  return [
    ...gitDirs.flatMap((dir) => [path.join(dir, "config"), path.join(dir, "config.worktree")]),
    path.join(home, ".gitconfig"),
    path.join(configHome, "git/config"),
    "/etc/gitconfig",
  ];
}

/** How a file or folder stands, none there included. Undefined: whether it changes cannot be told. */
export function placePrint(file: string, now: number): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = statSync(file, { bigint: true });
    return now - Number(ctimeMs) < TICK_MS ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "") ? NOT_THERE : undefined;
  }
}

export function configPrint(gitDirs: readonly string[], clock: Clock): string | undefined {
  const read = readConfigs(configsOf(gitDirs));
  if ("odd" in read) return undefined;
  const prints: string[] = [];
  for (const [file, text] of read.texts) {
    const print = CONDITION.test(text) ? undefined : placePrint(file, clock.now());
    if (print === undefined) return undefined;
    // What is not there says nothing, and a tree without settings of its own is told what all of them are.
    if (print !== NOT_THERE) prints.push(`${file} ${print}`);
  }
  return prints.join("\n");
}
