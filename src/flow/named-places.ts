/** Files and folders that somebody's words name, as far as they are there. */
import path from "node:path";
import { systemPaths } from "../kernel/index.ts";

/** Folders that are looked at beside the whole. */
const MOST_FOLDERS = 3;

interface Named {
  name: string;
  isFolder: boolean;
}

function namedIn(root: string, words: string): Named[] {
  return (words.match(/[\w.@-]+(?:\/[\w.@-]+)*/gu) ?? []).flatMap((word) => {
    const name = word.replace(/^(?:@|\.\/)|\.+$/gu, "");
    if (name === "" || name.split("/").some((part) => part === ".." || part === ".")) return [];
    const there = systemPaths.kind(path.join(root, name));
    return there === "folder" || there === "file" ? [{ name, isFolder: there === "folder" }] : [];
  });
}

/** Folders that the words name, themselves or by a file in them. */
export function namedFolders(root: string, words: string): string[] {
  const found = namedIn(root, words).flatMap(({ name, isFolder }) =>
    isFolder ? [name] : name.includes("/") ? [path.posix.dirname(name)] : [],
  );
  return [...new Set(found)].slice(0, MOST_FOLDERS);
}

/** Any folder may have one: its name alone does not say that the project's own is meant. */
const COMMON = /^(?:readme|changelog|changes|contributing|licen[cs]e)(?:\.\w+)?$/iu;
const ITS_OWN = /(?:\broot|\btop[- ]level|\bmain|\b(?:project|repository)(?:['’]s)?)(?:\s+[\w-]+)?\s+$|[@/]$/iu;

/** Whether words mean the file of this name in the project's own folder, and not one that a piece has in its folder. */
function meansOwn(name: string, goal: string, files: readonly string[]): boolean {
  if (name.includes("/")) return true;
  if (files.some((file) => path.posix.basename(file) === name)) return files.includes(name);
  const before = goal.split(name).slice(0, -1);
  return !COMMON.test(name) || before.some((words) => ITS_OWN.test(words));
}

/** What a piece is about: the files of the plan, then those its goal names. */
export function filesOfPiece(root: string, { files, goal }: { files: readonly string[]; goal: string }): string[] {
  const inGoal = namedIn(root, goal).flatMap(({ name, isFolder }) => (isFolder || !meansOwn(name, goal, files) ? [] : [name]));
  return [...new Set([...files, ...inGoal])];
}
