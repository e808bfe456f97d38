/**
 * What makes git wait for ever or read without end before it has done anything: a pipe or a device where a
 * file of the git folder belongs, or one that its configuration names (`include.path`, `core.excludesFile`).
 * An archive can bring all of it. Every file that git would open on the way is looked at, none is opened
 * that is not a regular one.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { type Clock, systemPaths } from "../kernel/index.ts";
import { isOdd, lately, oddFileInGit } from "./odd-files.ts";
import { gitDirsOf } from "./git-folders.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_CONFIGS = 50;
const NOWHERE = "/dev/null";
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

/** As much as a configuration may have; undefined when there is none. */
function readConfig(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(info.size, MAX_CONFIG_BYTES));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).toString("utf8");
  } finally {
    closeSync(fd);
  }
}

const escaped = (char: string): string => (Object.hasOwn(ESCAPES, char) ? (ESCAPES[char] ?? "") : char);

/** As git reads a value: quotes and comments away, escapes resolved. */
function plainValue(text: string): string {
  let value = "";
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === "\\") value += escaped(text.charAt((i += 1)));
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "#" || char === ";")) break;
    else value += char;
  }
  return value.trim();
}

/** Everything the text sets, whatever its name: which of them git opens differs by version. */
function valuesIn(text: string): { key: string; value: string }[] {
  return [...text.replaceAll(/\\\r?\n/gu, "").matchAll(/([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^\n]*)/gu)].map((match) => ({
    key: (match[1] ?? "").toLowerCase(),
    value: plainValue(match[2] ?? ""),
  }));
}

function namedBy(config: string, value: string): string {
  return value.startsWith("~/") ? path.join(systemPaths.home(), value.slice(2)) : path.resolve(path.dirname(config), value);
}

/** These files and all that they include, with what they say; too many, too long or none that can be read: the odd one. */
export function readConfigs(first: readonly string[]): { texts: ReadonlyMap<string, string> } | { odd: string } {
  const open = [...first];
  const texts = new Map<string, string>();
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    if (texts.has(file)) continue;
    if (texts.size >= MAX_CONFIGS || isOdd(file)) return { odd: file };
    const text = readConfig(file) ?? "";
    if (text.length >= MAX_CONFIG_BYTES) return { odd: file };
    texts.set(file, text);
    for (const { key, value } of valuesIn(text)) if (key === "path" && isPlace(value)) open.push(namedBy(file, value));
  }
  return { texts };
}

const isPlace = (value: string): boolean => value !== "" && value !== NOWHERE && !value.includes("\0");

/** The first place named in these files, and in those they include, that is neither file nor folder. */
function oddInConfigs(first: readonly string[]): string | undefined {
  const read = readConfigs(first);
  if ("odd" in read) return read.odd;
  for (const [file, text] of read.texts)
    for (const { value } of valuesIn(text)) if (isPlace(value) && isOdd(namedBy(file, value))) return namedBy(file, value);
  return undefined;
}

/** `.git` in a folder and in all above it: git passes over one that is none. */
function marksFrom(folder: string): string[] {
  const marks: string[] = [];
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (lstatSync(path.join(at, ".git"), { throwIfNoEntry: false }) !== undefined) marks.push(path.join(at, ".git"));
    if (at === path.dirname(at)) return marks;
  }
}

/** The first such thing that git would meet when run in a folder; `named` are git folders it is told of. */
export async function oddGitFolder(folder: string, named: readonly string[], clock: Clock): Promise<string | undefined> {
  const marks = marksFrom(folder);
  const odd = marks.find(isOdd);
  if (odd !== undefined) return odd;
  const dirs = [...new Set([...marks.flatMap(gitDirsOf), ...named.flatMap(gitDirsOf)])];
  for (const dir of dirs) {
    const configs = ["config", "config.worktree"].map((name) => path.join(dir, name));
    const found = await lately(`git ${dir}`, clock, async () => (await oddFileInGit(dir, clock)) ?? oddInConfigs(configs));
    if (found !== undefined) return found;
  }
  return undefined;
}
