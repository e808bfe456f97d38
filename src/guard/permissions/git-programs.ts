/**
 * Whether plain git commands would start programs here. A repository that was unpacked rather than cloned brings
 * its configuration and hooks along; where no sandbox bounds a command, `git status` is then as much as running them.
 */
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { readProjectFile } from "../../kernel/index.ts";

const MAX_CONFIG_BYTES = 256 * 1024;
const SECTION = /^\s*\[\s*(?:include|includeif|alias|pager|gpg)\b/imu;
const KEY =
  /^\s*(?:hookspath|pager|editor|sshcommand|askpass|textconv|command|external|clean|smudge|process|driver|program|packobjectshook|gitproxy|worktree)\s*=/imu;
/** The built-in monitor is git's own; a path is a program. */
const MONITOR = /^\s*fsmonitor[ \t]*=[ \t]*(?![ \t]|(?:true|false)[ \t]*$)/imu;

/** What of it, or undefined when there is nothing of the kind. */
export function programsOfGit(cwd: string): string | undefined {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const git = path.join(folder, ".git");
    const stats = lstatSync(git, { throwIfNoEntry: false });
    if (stats !== undefined) return stats.isDirectory() ? programsIn(git) : programsBehind(git);
    if (folder === path.dirname(folder)) return undefined;
  }
}

function smallText(folder: string, name: string): string | undefined {
  const found = readProjectFile(folder, name, { maxBytes: MAX_CONFIG_BYTES });
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
