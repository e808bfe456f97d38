/**
 * What a user is told of before git is used where no sandbox bounds a command. The workspace gives such a
 * command settings under which git starts no program that a repository names, so nothing depends on what is
 * found here: a repository's hooks and filters are then left out, which somebody should know. Only two things are
 * decided here: another repository than the one the command starts in, and a folder that merely looks like one.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { projectFile } from "../../kernel/index.ts";

const MAX_CONFIG_BYTES = 256 * 1024;
/** A section and its first setting may stand on one line. */
const SECTION = /^\s*\[\s*(?:include|includeif|alias|pager|gpg)\b/imu;
const KEY =
  /(?:^|\])\s*(?:hookspath|pager|editor|sshcommand|askpass|textconv|command|external|clean|smudge|process|driver|program|packobjectshook|gitproxy|worktree)\s*=/imu;
/** The built-in monitor is git's own; a path is a program. */
const MONITOR = /(?:^|\])\s*fsmonitor[ \t]*=[ \t]*(?![ \t]|(?:true|false)[ \t]*$)/imu;

/** Git takes such a folder for a repository, with the configuration that lies in it as plain files. */
const looksBare = (folder: string): boolean => ["HEAD", "objects", "refs"].every((name) => existsSync(path.join(folder, name)));

/** The `.git` at or above a folder, or the folder that git would take for one. */
function repositoryOf(cwd: string): { kind: "marked" | "bare"; place: string } | undefined {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const git = path.join(folder, ".git");
    if (lstatSync(git, { throwIfNoEntry: false }) !== undefined) return { kind: "marked", place: git };
    if (looksBare(folder)) return { kind: "bare", place: folder };
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** Why a user is asked before git is used in one of these folders; undefined when there is no reason. */
export function questionOfGit(start: string, folders: readonly string[]): string | undefined {
  const own = repositoryOf(start)?.place;
  for (const folder of folders) {
    const found = repositoryOf(folder);
    if (found?.kind === "bare") return `in ${found.place}, a folder that only looks like a repository`;
    if (found !== undefined && found.place !== own) return `in another repository (${path.dirname(found.place)})`;
    const named = found === undefined ? undefined : programsOf(found.place);
    if (named !== undefined) return `without the programs that ${named} names`;
  }
  return undefined;
}

function programsOf(git: string): string | undefined {
  return lstatSync(git).isDirectory() ? programsIn(git) : programsBehind(git);
}

function smallText(folder: string, name: string): string | undefined {
  const found = projectFile.read(folder, name, { maxBytes: MAX_CONFIG_BYTES });
  if (found.kind === "none") return "";
  return found.kind === "read" && !found.cut ? found.text : undefined;
}

/** A work tree: its own git folder, and the one it shares. */
function programsBehind(git: string): string | undefined {
  const named = /^gitdir: (.+)$/mu.exec(smallText(path.dirname(git), ".git") ?? "")?.[1];
  if (named === undefined) return "a `.git` that is neither a folder nor a pointer";
  const own = path.resolve(path.dirname(git), named.trim());
  const shared = smallText(own, "commondir");
  if (shared === undefined) return `${own}/commondir`;
  return programsIn(own) ?? (shared === "" ? undefined : programsIn(path.resolve(own, shared.trim())));
}

function programsIn(git: string): string | undefined {
  for (const name of ["config", "config.worktree"]) {
    const text = smallText(git, name);
    if (text === undefined || SECTION.test(text) || KEY.test(text) || MONITOR.test(text)) return `${path.join(git, name)}`;
  }
  try {
    const hook = readdirSync(path.join(git, "hooks")).find((name) => !name.endsWith(".sample"));
    return hook === undefined ? undefined : path.join(git, "hooks", hook);
  } catch {
    return undefined;
  }
}
