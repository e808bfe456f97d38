/**
 * Gives a new work tree the installed dependencies of the project without copying them: each
 * dependency folder becomes a real folder of links, so that caches and installs made in the work
 * tree stay there, and ignore rules for folders still hold. Files named in `.worktreeinclude` are copied, and so is
 * generated source that stands, ignored, among the project's own: without it nothing there would start.
 */
import { lstatSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { mkdir, readdir, symlink } from "node:fs/promises";
import path from "node:path";
import { fileSensitivity } from "../../guard/index.ts";
import { mapLimit, systemCode, projectFile } from "../../kernel/index.ts";
import { realOf } from "../git-folders.ts";
import type { Git } from "./git.ts";
import { splitZ } from "./snapshot.ts";

const DEPENDENCY_FOLDERS = new Set(["node_modules", ".venv", "venv", "vendor", ".bundle"]);
/** Written by tools while they run; every work tree grows its own. */
export const CACHES: ReadonlySet<string> = new Set([".cache", ".vite", ".vitest", "__pycache__"]);
const MAX_DEPTH = 4;
const LANES = 8;
const INCLUDE_FILE = ".worktreeinclude";
const MAX_INCLUDED_BYTES = 10 * 1024 * 1024;
/** Programs, never data; and of those none that is named after secrets. */
const SOURCE = /\.(?:[cm]?[jt]sx?|py|pyi|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|ex|exs|dart|lua)$/u;
const MAX_GENERATED = 50;
const MAX_GENERATED_BYTES = 256 * 1024;

/** Folders that the dependency links of a work tree lead to: they may be read through it. */
export function dependencySources(tree: string): string[] {
  const sources = new Set<string>();
  const top = realOf(tree) ?? tree;
  for (const name of DEPENDENCY_FOLDERS) {
    const folder = path.join(tree, name);
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isSymbolicLink()) continue;
      const source = realOf(path.dirname(path.resolve(folder, readlinkSync(path.join(folder, entry.name)))));
      // Only a dependency folder of the same kind, where it really stands: a link planted to lead elsewhere opens nothing.
      if (source !== undefined && path.basename(source) === name && !source.startsWith(`${top}${path.sep}`)) sources.add(source);
    }
  }
  return [...sources];
}

async function linkIfAbsent(target: string, name: string): Promise<void> {
  try {
    await symlink(target, name);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

/** A real folder whose entries are links; scopes (`@x`) are folders of links too. */
async function farm(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const entries = await readdir(source, { withFileTypes: true });
  await mapLimit(entries, LANES, async (entry) => {
    const from = path.join(source, entry.name);
    const to = path.join(target, entry.name);
    if (CACHES.has(entry.name)) return;
    if (entry.isDirectory() && entry.name.startsWith("@")) await farm(from, to);
    else await linkIfAbsent(from, to);
  });
}

/** Folders that are ignored as a whole, and files in folders that are not. */
export async function ignoredIn(git: Git, root: string, signal: AbortSignal | undefined): Promise<{ folders: string[]; files: string[] }> {
  const found = splitZ(
    (await git.run(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"], { cwd: root, signal })).stdout,
  );
  return {
    folders: found.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
    files: found.filter((name) => !name.endsWith("/")),
  };
}

async function included(git: Git, root: string, signal: AbortSignal | undefined): Promise<string[]> {
  const patterns = (projectFile.text(root, INCLUDE_FILE) ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (patterns.length === 0) return [];
  return splitZ(
    (await git.run(["ls-files", "--others", "--ignored", "-z", ...patterns.flatMap((pattern) => ["-x", pattern])], { cwd: root, signal }))
      .stdout,
  );
}

/** False when a part of the way below the tree is a link or a file: what was checked out there may lead anywhere. */
function isPlainWay(tree: string, folder: string, { make }: { make: boolean }): boolean {
  let at = tree;
  for (const part of folder.split("/").filter((one) => one !== "" && one !== ".")) {
    at = path.join(at, part);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined && make) mkdirSync(at);
    else if (stats?.isDirectory() !== true) return false;
  }
  return true;
}

/** Copied as it is: no link, nothing from outside, nothing over what the checkout brought. */
function copyFile(root: string, tree: string, name: string, maxBytes: number): boolean {
  const found = projectFile.read(root, name, { maxBytes });
  if (found.kind !== "read" || found.cut || found.real !== name) return false;
  if (!isPlainWay(tree, path.posix.dirname(name), { make: true })) return false;
  try {
    const mode = lstatSync(path.join(root, name)).mode & 0o777;
    writeFileSync(path.join(tree, name), found.bytes, { flag: "wx", mode });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

const isDependencyFolder = (name: string): boolean =>
  name.split("/").length <= MAX_DEPTH && DEPENDENCY_FOLDERS.has(path.posix.basename(name));

/** What the project lends every tree of it: folders of dependencies by links, files as copies, the included ones first. */
export async function lentBy(
  git: Git,
  root: string,
  signal: AbortSignal | undefined,
): Promise<{ folders: string[]; included: string[]; generated: string[] }> {
  const { folders, files } = await ignoredIn(git, root, signal);
  return {
    folders: folders.filter(isDependencyFolder),
    included: await included(git, root, signal),
    generated: files.filter((name) => SOURCE.test(name) && !fileSensitivity(name).sensitive),
  };
}

export async function linkDependencies(git: Git, root: string, tree: string, signal?: AbortSignal): Promise<void> {
  const lent = await lentBy(git, root, signal);
  for (const name of lent.folders) {
    const target = path.join(tree, name);
    if (!isPlainWay(tree, path.posix.dirname(name), { make: false })) continue;
    if (lstatSync(target, { throwIfNoEntry: false })?.isDirectory() === false) continue;
    await farm(path.join(root, name), target);
  }
  const copied = lent.included.filter((name) => copyFile(root, tree, name, MAX_INCLUDED_BYTES));
  const generated = lent.generated.filter((name) => !copied.includes(name)).slice(0, MAX_GENERATED);
  for (const name of generated) copyFile(root, tree, name, MAX_GENERATED_BYTES);
}
