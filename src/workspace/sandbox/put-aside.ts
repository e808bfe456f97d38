/**
 * What a command left under a name that steers the user's git or Sylk. A repository that can start no
 * program stays; everything else gets another name beside it, nothing is lost, and the result says so.
 */
import { chmodSync, lstatSync, readFileSync, readdirSync, readlinkSync, realpathSync, renameSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../kernel/index.ts";
import { gitDirOf } from "../git-folders.ts";

const MAX_CONFIG_BYTES = 65_536;
const MAX_ASIDE = 1_000;
/** What `git init`, `clone` and `commit` make. Other work trees, submodules and shared folders are not among it. */
const PLAIN_ENTRIES =
  /^(?:(?:HEAD|config|index|packed-refs)(?:\.lock)?|(?:ORIG|FETCH|MERGE)_HEAD|COMMIT_EDITMSG|MERGE_M(?:SG|ODE)|AUTO_MERGE|description|hooks|info|objects|refs|logs|branches|shallow)$/u;
const PLAIN_FOLDERS = /^(?:hooks|info|objects|refs|logs|branches)$/u;
const SECTION = /^\[(core|user|remote|branch)(?: "[^"\\\]]*")?\]$/u;
const SETTING = /^([a-z]+) = ([^"\\#;]*)$/u;
const PLAIN_KEYS: Readonly<Record<string, RegExp>> = {
  core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/u,
  user: /^(?:name|email)$/u,
  remote: /^(?:url|fetch)$/u,
  branch: /^(?:remote|merge)$/u,
};

/** Tells whether what stands there is still the same; undefined when nothing does. */
export function identityOf(place: string): string | undefined {
  const info = lstatSync(place, { throwIfNoEntry: false, bigint: true });
  if (info === undefined) return undefined;
  // A number is given again soon; with the moment of its making it is not.
  return info.isSymbolicLink() ? `link to ${readlinkSync(place)}` : [info.mode >> 12n, info.dev, info.ino, info.birthtimeNs].join(":");
}

function isPlainConfig(text: string): boolean {
  let section = "";
  return text.split("\n").every((line) => {
    const trimmed = line.trim();
    if (trimmed === "") return true;
    const opened = SECTION.exec(trimmed)?.[1];
    if (opened !== undefined) section = opened;
    if (opened !== undefined) return true;
    const [, key = "", value = ""] = SETTING.exec(trimmed) ?? [];
    return PLAIN_KEYS[section]?.test(key) === true && !(key === "url" && /^-|::/u.test(value));
  });
}

/** A git folder in which nothing names a program, by a list of what may be there. */
function isPlainRepository(place: string): boolean {
  if (path.basename(place) !== ".git" || !lstatSync(place).isDirectory()) return false;
  const entries = readdirSync(place, { withFileTypes: true });
  if (!entries.every((entry) => PLAIN_ENTRIES.test(entry.name) && (PLAIN_FOLDERS.test(entry.name) ? entry.isDirectory() : entry.isFile())))
    return false;
  const below = (name: string): { name: string; isFile(): boolean }[] =>
    entries.some((entry) => entry.name === name) ? readdirSync(path.join(place, name), { withFileTypes: true }) : [];
  if (!below("hooks").every((entry) => entry.isFile() && entry.name.endsWith(".sample"))) return false;
  if (!below("info").every((entry) => entry.isFile())) return false;
  const config = path.join(place, "config");
  const info = lstatSync(config, { throwIfNoEntry: false });
  return info === undefined || (info.size <= MAX_CONFIG_BYTES && isPlainConfig(readFileSync(config, "utf8")));
}

/** A work tree or submodule of the user's own repository, which commands cannot write. */
function isOfRepository(place: string, gitDirs: readonly string[]): boolean {
  const named = lstatSync(place).isFile() ? gitDirOf(place) : undefined;
  return named !== undefined && gitDirs.some((dir) => named.startsWith(`${dir}${path.sep}`));
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!["EACCES", "EPERM"].includes(systemCode(error) ?? "")) throw error;
    // Whoever made it may have closed the folder around it.
    chmodSync(path.dirname(from), 0o755);
    renameSync(from, to);
  }
}

export interface Appeared {
  place: string;
  root: string;
  /** The folders of the repository around it. */
  gitDirs: readonly string[];
  /** Something else stood there before. */
  replaced: boolean;
}

/** The notice, when it had to go. */
export function putAside({ place, root, gitDirs, replaced }: Appeared): string | undefined {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined || isOfRepository(place, gitDirs)) return undefined;
  if (!replaced && isPlainRepository(place)) return undefined;
  if (realpathSync(path.dirname(place)) !== path.dirname(place)) return undefined;
  const free = Array.from({ length: MAX_ASIDE }, (_, i) => `${place}.made-by-a-command${i === 0 ? "" : `-${i + 1}`}`).find(
    (name) => lstatSync(name, { throwIfNoEntry: false }) === undefined,
  );
  const shown = path.relative(root, place);
  if (free === undefined) return `${shown} appeared while the command ran and could not be moved away: look at it before you use git there`;
  rename(place, free);
  return `${shown} appeared while the command ran and could start programs; it is now called ${path.basename(free)} (rename it back if it is yours)`;
}
