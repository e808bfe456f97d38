/**
 * What keeps git from running other programs for Sylk, whatever configuration and attributes say: no
 * hooks, no monitors, no remote helpers, no look into submodules, no text converters, and every filter
 * emptied. Files are therefore read and written as the bytes git stores: what a filter
 * such as LFS would fetch stays the short text that stands for it.
 */
import { SylkError } from "../../kernel/index.ts";

/** Name and value. */
export type Setting = readonly [name: string, value: string];

export const FIXED_SETTINGS: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.quotePath", "false"],
  ["core.pager", "cat"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.detachedHead", "false"],
  ["commit.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["submodule.recurse", "false"],
  ["diff.submodule", "short"],
];

export const FIXED = FIXED_SETTINGS.flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** Nothing is fetched and nobody is asked: Sylk works with what is here. */
export const SAFE_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
};

/** Commands that never look at files or the index, so that no driver can come into play (`write-tree` does). */
const WITHOUT_CONTENT = new Set([
  "commit-tree",
  "config",
  "for-each-ref",
  "init",
  "merge-base",
  "merge-file",
  "rev-parse",
  "symbolic-ref",
  "update-ref",
]);

const DIFFING = new Set(["diff", "diff-tree", "diff-index", "diff-files", "log", "show"]);
const CONVERTING = new Set([...DIFFING, "blame"]);
const LOOKING_AT_TREES = new Set(["diff", "diff-index", "diff-files", "status"]);

/** The name of the command in a list of arguments: what comes after options that take a value. */
function commandAt(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-") === true) at += args[at] === "-c" || args[at] === "--git-dir" ? 2 : 1;
  return at;
}

/** A list of the index that looks at no file. */
const INDEX_ONLY = new Set(["--stage", "-z"]);

export function needsDrivers(args: readonly string[]): boolean {
  const at = commandAt(args);
  const name = args[at] ?? "";
  const isList = name === "ls-files" && args.length > at + 1 && args.slice(at + 1).every((arg) => INDEX_ONLY.has(arg));
  return !isList && !WITHOUT_CONTENT.has(name);
}

/** The same arguments with the options that keep other programs out of this command. */
export function withoutPrograms(args: readonly string[]): string[] {
  const at = commandAt(args);
  const name = args[at] ?? "";
  const options = [
    ...(DIFFING.has(name) ? ["--no-ext-diff"] : []),
    ...(CONVERTING.has(name) ? ["--no-textconv"] : []),
    ...(LOOKING_AT_TREES.has(name) ? ["--ignore-submodules=dirty"] : []),
  ];
  return [...args.slice(0, at + 1), ...options, ...args.slice(at + 1)];
}

export const DRIVER_QUERY = ["config", "--null", "--name-only", "--get-regexp", String.raw`^filter\..*\.(clean|smudge|process|required)$`];

/** Settings as environment: a name may hold any character. */
export function settingsEnvironment(settings: readonly Setting[]): Record<string, string> {
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([key, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  ]) as Record<string, string>;
}

/**
 * Names as git printed them. One that is no text would be replaced under another name than its own, and so stay in force:
 * where there is such a name git is not used.
 */
export function namesFrom(printed: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(printed);
  } catch (cause) {
    throw new SylkError({
      code: "GIT_ODD_SETTING",
      tier: "user_fixable",
      message: "the repository's configuration names a setting that is no text, so git is not used here",
      fix: "look at .git/config (`git config --list --show-origin`) and remove it",
      cause,
    });
  }
}

/** Empties every configured driver. */
export function emptiedDrivers(found: string): Record<string, string> {
  const keys = [...new Set(found.split("\0").filter((key) => key !== ""))];
  return settingsEnvironment(keys.map((key): Setting => [key, key.endsWith(".required") ? "false" : ""]));
}
