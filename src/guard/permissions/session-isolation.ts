/**
 * What a session has not merged is its own: it stands in branches and refs that only the engine goes to (SES-044). An
 * agent's git command names its own tree's at most, and asks for no history of everybody's.
 */
import path from "node:path";

/** A branch of a work tree as a revision names it; the marks the engine keeps; another tree's own refs. */
const PRIVATE =
  /(?:^|\.\.|[\^=])(?:(?:refs\/)?heads\/sylk\/(?<branch>[\w.-]*)|sylk\/(?:(?<tree>(?:team|work)_[\w.-]*)|(?:base|merged|checkpoints|discarded)\/)|worktrees\/)|refs\/sylk(?:\/|$)/gu;
/** A commit by its message, searched for in every branch. */
const BY_MESSAGE = /^\^?:\//u;
const EVERYBODY = ["--all", "--branches", "--glob", "--reflog", "--batch-all-objects"];
/** What is asked for comes by another way, where nobody sees it first. */
const UNSEEN = /^--(?:stdin|batch(?:-check|-command)?(?:=.*)?)$/u;
const TAKE_REVISIONS: ReadonlySet<string> = new Set(["log", "rev-list", "show", "diff-tree", "cat-file", "name-rev", "rev-parse"]);
const SHORTEST = 4;
/** These take files, or such an option for something else. */
const OF_FILES: ReadonlySet<string> = new Set(["add", "commit", "ls-files"]);
const OF_NAMES: ReadonlySet<string> = new Set(["stash", "branch", "fetch", "pull", "grep", "clone"]);

const CODE = "SESSION_ISOLATION_VIOLATION";

function isForEverybody(arg: string): boolean {
  const name = arg.split("=", 1)[0] ?? "";
  return name.length >= SHORTEST && EVERYBODY.some((option) => option.startsWith(name));
}

/** Why an agent that works in these folders may not give a git command; undefined: it asks for nothing of others. */
export function foreignWork(operation: string, args: readonly string[], roots: readonly string[]): string | undefined {
  if (OF_FILES.has(operation)) return undefined;
  const own = new Set(roots.flatMap((root) => root.split(path.sep)));
  const end = args.indexOf("--");
  for (const arg of end === -1 ? args : args.slice(0, end)) {
    for (const { groups } of arg.matchAll(PRIVATE)) {
      const named = groups?.["tree"] ?? groups?.["branch"] ?? "";
      if (named === "" || !own.has(named))
        return `${CODE}: ${arg} is work of another session that is not merged; what is merged stands in the user's branches`;
    }
    if (TAKE_REVISIONS.has(operation) && UNSEEN.test(arg))
      return `${CODE}: with ${arg} nobody sees what is asked for; name it in the command`;
    if (BY_MESSAGE.test(arg)) return `${CODE}: ${arg} looks through what other sessions have not merged; name a branch or a commit`;
    if (!OF_NAMES.has(operation) && isForEverybody(arg))
      return `${CODE}: ${arg} shows what other sessions have not merged; name the branches that are meant`;
  }
  return undefined;
}
