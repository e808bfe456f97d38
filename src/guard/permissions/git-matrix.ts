/**
 * What a role may do with git (GIT-001…GIT-006), by the rights it has. Push, merge, hard reset and rewriting
 * history stay with the user; a role without git rights may do nothing.
 */
import { must } from "../../kernel/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import type { RoleRights } from "./rights.ts";

export type GitClass = "read" | "commit" | "branch" | "history" | "remote" | "clone";

const CLASS_OF: Readonly<Record<string, GitClass>> = {
  status: "read",
  diff: "read",
  log: "read",
  show: "read",
  blame: "read",
  "ls-files": "read",
  "ls-tree": "read",
  "ls-remote": "remote",
  "rev-parse": "read",
  shortlog: "read",
  describe: "read",
  grep: "read",
  add: "commit",
  commit: "commit",
  stash: "commit",
  branch: "branch",
  checkout: "branch",
  switch: "branch",
  revert: "history",
  "cherry-pick": "history",
  reset: "history",
  fetch: "remote",
  pull: "remote",
  remote: "remote",
  clone: "clone",
};

/** Arguments that turn an otherwise granted operation into one that is the user's alone. */
const RESERVED: readonly { sub: string; test: (args: readonly string[]) => boolean; what: string }[] = [
  { sub: "reset", test: (args) => !args.includes("--soft"), what: "a reset other than --soft" },
  { sub: "commit", test: (args) => args.some((a) => a.startsWith("--am")), what: "rewriting a commit" },
  { sub: "commit", test: (args) => args.some((a) => /^(?:--no-v|-[a-zA-Z]*n)/.test(a)), what: "skipping the commit hooks" },
  { sub: "stash", test: (args) => /^(?:drop|clear)$/.test(args[0] ?? ""), what: "dropping a stash" },
  {
    sub: "branch",
    test: (args) => args.some((a) => /^(?:-[a-z]*[dDmMcCfut]|--(?:del|mov|cop|forc|set-|uns|tr|edit))/.test(a)),
    what: "deleting, moving or forcing a branch",
  },
  {
    sub: "checkout",
    test: (args) => args.some((a) => /^(?:-[a-z]*f|--forc|--$|-B|--ours|--theirs|-p|\.$)/.test(a)),
    what: "a checkout that discards changes",
  },
  { sub: "switch", test: (args) => args.some((a) => /^(?:-[a-z]*[fC]|--forc|--disc)/.test(a)), what: "a switch that discards changes" },
  {
    sub: "remote",
    test: (args) => args.some((a) => !a.startsWith("-")) && !/^(?:show|get-url)$/.test(args[0] ?? ""),
    what: "changing remotes",
  },
  {
    sub: "fetch",
    test: (args) => args.some((a) => /:|^--upl|^-[a-z]*f|^--forc/.test(a)),
    what: "fetching from elsewhere or over a branch",
  },
  { sub: "pull", test: (args) => args.some((a) => /:|^--upl|^-[a-z]*f|^--forc/.test(a)), what: "pulling from elsewhere or over a branch" },
];

/** The right that covers a class, and the smaller one that covers a part of it. */
const PARTS: Readonly<Partial<Record<GitClass, RoleSpec["git"][number]>>> = { commit: "commit_improvements", branch: "visit" };

export type GitDecision = { kind: "granted"; class: GitClass } | { kind: "denied"; reason: string };

export interface GitRequest {
  role: RoleRights;
  /** `status`, `commit`, …; tool names such as `git_cherry_pick` too. */
  operation: string;
  args: readonly string[];
  /** For `clone`: the target lies in a temp folder. */
  targetIsTemporary?: boolean;
  /** For the tester's commits (GIT-020); undefined when not known. */
  testsImproved?: boolean;
}

function normalise(operation: string): string {
  return operation
    .replace(/^git[_ ]/, "")
    .replace(/_(?:list|create|pop|readonly|temp|between|soft)$/, "")
    .replaceAll("_", "-");
}

export function decideGit(request: GitRequest): GitDecision {
  const { role, args } = request;
  const sub = normalise(request.operation);
  const denied = (reason: string): GitDecision => ({ kind: "denied", reason });
  const { git } = role;
  if (git === "all") return { kind: "granted", class: CLASS_OF[sub] ?? "history" };
  if (git.length === 0) return denied(`no git permissions for agent ${role.id}`);
  const wanted = Object.hasOwn(CLASS_OF, sub) ? must(CLASS_OF[sub]) : undefined;
  if (wanted === undefined) return denied(`git ${sub} is left to the user`);
  const listsBranches =
    sub === "branch" &&
    args.every((a) => /^(?:-[avlr]+|-vv|--list|--all|--remotes|--verbose|--show-current|--merged|--no-merged|--contains)$/.test(a));
  const isWhole = git.includes(wanted);
  const part = PARTS[wanted];
  if (!listsBranches && !isWhole && (part === undefined || !git.includes(part)))
    return denied(`agent ${role.id} has no git permission ${wanted} for git ${sub}`);
  if (sub === "branch" && !listsBranches && !isWhole) return denied(`agent ${role.id} may list branches, not create them`);
  const reserved = RESERVED.find((r) => r.sub === sub && r.test(args));
  if (reserved !== undefined) return denied(`${reserved.what} is left to the user`);
  if ((sub === "checkout" || sub === "switch") && !isWhole && args.some((a) => a.startsWith("-") && a !== "--detach"))
    return denied(`agent ${role.id} may only look at existing commits and branches`);
  if (sub === "clone" && request.targetIsTemporary !== true) return denied("clones go into a temp folder only");
  if (!isWhole && (sub === "commit" || sub === "add") && request.testsImproved !== true)
    return denied(`agent ${role.id} commits only when tests improved, were added or were repaired`);
  return { kind: "granted", class: wanted };
}
