/**
 * What keeps the git of an agent's command, and every git below it, from running programs that a repository
 * names, where no sandbox bounds it. It is given by environment, so it holds wherever the line goes, in
 * submodules and in whatever script calls git: fixed settings, no repository that is merely a folder which
 * looks like one, and every setting that names a program, in this repository and in those further down,
 * replaced under its own name. Git says which there are; nothing is guessed from the text of its files.
 * What the user's own configuration names stays. Where a line may come to a repository that could not be asked,
 * git uses only those that were.
 */
import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { enteredFolders, fileSensitivity } from "../guard/index.ts";
import { systemPaths, type Clock } from "../kernel/index.ts";
import type { CommandLine } from "./gate.ts";
import { ownObjects, ownTreeOf, realOf, topOf } from "./git-folders.ts";
import { createSensitivePlaces, submodulePlaces } from "./sandbox/sensitive-places.ts";
import { createGit } from "./git/git.ts";
import { FIXED_SETTINGS, namesFrom, settingsEnvironment, type Setting } from "./git/safe-git.ts";

const AGENT_SETTINGS: readonly Setting[] = [
  ["safe.bareRepository", "explicit"],
  ["diff.ignoreSubmodules", "dirty"],
  ["status.submoduleSummary", "false"],
  ["tag.gpgSign", "false"],
];

/** Stand above all settings. An empty text is left as it is: git then says that it has no message. Of proxies git takes the first. */
const ABOVE_SETTINGS = {
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_PROXY_COMMAND: "",
  // What a partial clone lacks is fetched by looking at it, from wherever the repository says.
  GIT_NO_LAZY_FETCH: "1",
  // `ext` and `file` start programs the repository names.
  GIT_ALLOW_PROTOCOL: "https:http:ssh:git",
};

/** Git finds no repository at all. */
const NO_REPOSITORY = { GIT_DIR: "/dev/null" };

/** A difference as text, for the arguments git gives to a program that shows one. */
const PLAIN_DIFF = 'plain() { diff -u "$2" "$5"; true; }; plain';

/**
 * Settings that name a program, with what stands in for it. Names are as git prints them. Where git takes the first of
 * several, nothing can stand in: what it would be started for is forbidden by another setting.
 */
const PROGRAMS: readonly (readonly [name: string, instead: string, other?: string])[] = [
  [String.raw`filter\..*\.required`, "false"],
  [String.raw`filter\..*\.(clean|smudge|process)`, ""],
  [String.raw`diff\..*\.textconv`, "cat"],
  [String.raw`diff\.(.*\.command|external)`, PLAIN_DIFF],
  [String.raw`merge\..*\.driver`, "false"],
  [String.raw`trailer\..*\.(command|cmd)`, ""],
  [String.raw`gpg\.(.*\.)?(program|defaultkeycommand)`, ""],
  [String.raw`credential\.(.*\.)?helper`, ""],
  [String.raw`core\.sshcommand`, "ssh"],
  [String.raw`core\.(askpass|alternaterefscommand)`, ""],
  [String.raw`alias\..*`, ""],
  [String.raw`submodule\..*\.update`, "checkout"],
  // These name a file that is then shown.
  [String.raw`mailmap\.(file|blob)|commit\.template`, ""],
  [String.raw`remote\..*\.(uploadpack|receivepack)`, "never", "protocol.file.allow"],
];

/** More are not looked for; git then uses only those that were. */
const MAX_REPOSITORIES = 64;

/** Name a file; git prints the beginning of one that is no list of commits. */
const LISTS = String.raw`blame\.ignorerevsfile|((fetch|receive)\.)?fsck\.skiplist`;

const QUERIED = `^(${[...PROGRAMS.map(([name]) => name), LISTS].map((name) => `(${name})`).join("|")})$`;
const QUERY = ["config", "--show-scope", "--null", "--name-only", "--get-regexp", QUERIED];
const LIST_QUERY = ["config", "--show-scope", "--null", "--get-regexp", `^(${LISTS})$`];
const NAMES_LIST = new RegExp(`\\0(?:${LISTS})\\0`, "u");
const KNOWN = PROGRAMS.map(([name, instead, other]) => ({ name: new RegExp(`^(?:${name})$`, "su"), instead, other }));

/** Pairs of scope and name, of which the repository's own count. */
function replaced(found: string): Setting[] {
  const parts = found.split("\0");
  return parts.flatMap((name, i): Setting[] => {
    if (i % 2 === 0 || !["local", "worktree"].includes(parts[i - 1] ?? "")) return [];
    const known = KNOWN.find((program) => program.name.test(name));
    return known === undefined ? [] : [[known.other ?? name, known.instead]];
  });
}

/** Such a setting adds to what was named before and cannot be emptied: it must name a file that anybody here may read. */
function namesOpenFile(top: string, value: string): boolean {
  if (value === "") return true;
  if (/^[~%:]/u.test(value)) return false;
  const real = realOf(path.resolve(top, value));
  if (real === undefined) return lstatSync(path.resolve(top, value), { throwIfNoEntry: false }) === undefined;
  const inside = path.relative(realOf(top) ?? top, real);
  const parts = inside.split(path.sep);
  return !path.isAbsolute(inside) && !parts.includes("..") && !parts.includes(".git") && fileSensitivity(real).handling === "normal";
}

/** Scope, then name and value on lines of their own. */
function listsAreOpen(top: string, found: string): boolean {
  const parts = found.split("\0");
  return parts.every((entry, i) => {
    if (i % 2 === 0 || !["local", "worktree"].includes(parts[i - 1] ?? "")) return true;
    return !entry.includes("\n") || namesOpenFile(top, entry.slice(entry.indexOf("\n") + 1));
  });
}

/** What one repository names; undefined when git cannot tell, may not be asked, or cannot be kept from it. */
async function lookedUp(top: string, clock: Clock): Promise<Setting[] | undefined> {
  const git = createGit(top, clock);
  const ask = async (query: readonly string[]): Promise<string> => namesFrom((await git.run(query, { accept: [1] })).stdout);
  try {
    const names = await ask(QUERY);
    const isOpen = !NAMES_LIST.test(names) || listsAreOpen(top, await ask(LIST_QUERY));
    return isOpen ? replaced(names) : undefined;
  } catch {
    return undefined;
  }
}

/** As git takes it for a repository, whatever its name. */
const looksBare = (folder: string): boolean => ["HEAD", "objects", "refs"].every((name) => existsSync(path.join(folder, name)));

/** Repositories that the command may come to: those it goes into, the agent's own, those further down, and their submodules. */
async function repositoriesFor(folders: readonly string[], root: string, clock: Clock): Promise<string[]> {
  const { repositories } = await createSensitivePlaces(clock).again(root);
  const entered = folders.flatMap((folder) => {
    const real = realOf(folder);
    return real === undefined ? [] : [topOf(real), looksBare(real) ? real : undefined];
  });
  const below = repositories.map((mark) => path.dirname(mark));
  const tops = new Set([...entered, topOf(root), ...below].filter((top) => top !== undefined));
  // What is added is gone through as well.
  for (const top of tops) {
    if (tops.size > MAX_REPOSITORIES) break;
    if (top !== root) for (const mark of await submodulePlaces(top, clock)) if (existsSync(mark)) tops.add(path.dirname(mark));
  }
  return [...tops];
}

/** Git then uses no repository but these: to it, every other belongs to somebody else. */
function onlyIn(tops: readonly string[]): { settings: Setting[]; env: Record<string, string> } {
  return {
    settings: ["", ...tops].map((top): Setting => ["safe.directory", top]),
    env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" },
  };
}

/** `root` is the folder the agent works in, `cwd` where the command starts. */
export async function agentGitEnvironment(root: string, command: CommandLine, cwd: string, clock: Clock): Promise<Record<string, string>> {
  const { folders, open } = enteredFolders(command, cwd, systemPaths.home());
  const tops = await repositoriesFor(folders, root, clock);
  const found: Setting[] = [];
  for (const top of tops) {
    const named = await lookedUp(top, clock);
    if (named === undefined) return { ...NO_REPOSITORY, ...ABOVE_SETTINGS };
    found.push(...named);
  }
  const bound = open || tops.length > MAX_REPOSITORIES ? onlyIn(tops) : { settings: [], env: {} };
  const settings = [...FIXED_SETTINGS, ...AGENT_SETTINGS, ...new Map(found), ...bound.settings];
  const own = ownTreeOf(root);
  const objects = own === undefined ? {} : ownObjects(own.gitDir, own.commonDir);
  return { ...settingsEnvironment(settings), ...ABOVE_SETTINGS, ...objects, ...bound.env };
}
