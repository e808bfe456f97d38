/**
 * What keeps the git of an agent's command, and every git below it, from running programs that a repository
 * names, where no sandbox bounds it. It is given by environment, so it holds wherever the line goes, in
 * submodules and in whatever script calls git: fixed settings, no repository that is merely a folder which
 * looks like one, and every setting that names a program, in this repository and in those further down,
 * replaced under its own name. Git says which there are; nothing is guessed from the text of its files.
 * What the user's own configuration names stays.
 */
import path from "node:path";
import type { Clock } from "../kernel/index.ts";
import { topOf } from "./git-folders.ts";
import { createSensitivePlaces } from "./sandbox/sensitive-places.ts";
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

const QUERY = ["config", "--show-scope", "--null", "--name-only", "--get-regexp", `^(${PROGRAMS.map(([name]) => `(${name})`).join("|")})$`];
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

/** `root` is the folder the agent works in, `cwd` where the command starts. */
export async function agentGitEnvironment(root: string, cwd: string, clock: Clock): Promise<Record<string, string>> {
  const { repositories } = await createSensitivePlaces(clock).again(root);
  const tops = [topOf(cwd), topOf(root), ...repositories.map((mark) => path.dirname(mark))].filter((top) => top !== undefined);
  const found: Setting[] = [];
  for (const top of new Set(tops)) {
    try {
      found.push(...replaced(namesFrom((await createGit(top, clock).run(QUERY, { accept: [1] })).stdout)));
    } catch {
      // What git cannot tell, or may not be asked, cannot be replaced.
      return { ...NO_REPOSITORY, ...ABOVE_SETTINGS };
    }
  }
  return { ...settingsEnvironment([...FIXED_SETTINGS, ...AGENT_SETTINGS, ...new Map(found)]), ...ABOVE_SETTINGS };
}
