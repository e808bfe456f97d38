/**
 * What a command would find in a place, as one name: every file that git knows or would take in, and what the project
 * lends its trees. Equal names mean that the same would be found. Where that cannot be told there is no name.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync, type Dirent } from "node:fs";
import path from "node:path";
import { canonicalJson, projectFile, sha256, type Json } from "../../kernel/index.ts";
import type { Git } from "./git.ts";
import { CACHES, ignoredIn, lentBy } from "./link-dependencies.ts";
import type { RepositoryContext } from "./repository-context.ts";
import { treeNow } from "./snapshot.ts";
import { gitIn } from "./work-tree.ts";

export interface Standing {
  name: string;
  /** Nothing that git ignores stands there but what the project lent it and what tools keep for themselves. */
  plain: boolean;
}

/** Written by tools for themselves: what they say does not depend on it. */
const TOOL_CACHES: ReadonlySet<string> = new Set([...CACHES, ".pytest_cache", ".mypy_cache", ".ruff_cache"]);
/** A package of another language stands deeper in its folder than one of node's. */
const DEPTH = { node_modules: 1, other: 4 };
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 10 * 1024 * 1024;

/** Every file of it as one name; undefined where some of it is no part of that name. */
async function contentOf(git: Git, { clock }: RepositoryContext, signal: AbortSignal | undefined): Promise<string | undefined> {
  const { tree, skipped, nested } = await treeNow(git, clock, { signal });
  return skipped.length + nested.length === 0 ? tree : undefined;
}

interface Installed {
  /** Names, sizes and times of change of what is installed. */
  print: Json[];
  /** A link leads to the project's own files. */
  leadsHome: boolean;
}

/** How a folder of dependencies stands, as far down as packages do; undefined where there is too much of it to look at, or some of it stands elsewhere. */
function installedIn(folder: string, root: string): Installed | undefined {
  const found: Installed = { print: [], leadsHome: false };
  const walk = (at: string, depth: number): boolean => {
    for (const entry of entriesOf(at)) {
      if (CACHES.has(entry.name)) continue;
      const place = path.join(at, entry.name);
      const { size, mtimeMs } = lstatSync(place);
      found.print.push([path.relative(folder, place), entry.isDirectory() ? 0 : size, mtimeMs]);
      if (found.print.length > MOST_ENTRIES) return false;
      if (entry.isSymbolicLink() && leadsHome(place, root)) found.leadsHome = true;
      else if (entry.isSymbolicLink() && leadsOut(place, root)) return false;
      const deeper = entry.name.startsWith("@") ? depth : depth - 1;
      if (entry.isDirectory() && deeper > 0 && !walk(place, deeper)) return false;
    }
    return true;
  };
  return walk(folder, path.basename(folder) === "node_modules" ? DEPTH.node_modules : DEPTH.other) ? found : undefined;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function leadsHome(link: string, root: string): boolean {
  try {
    const to = path.relative(root, realpathSync(link));
    return !to.startsWith("..") && !path.isAbsolute(to) && !to.split(path.sep).some((part) => part === "node_modules" || part === ".bin");
  } catch {
    return false;
  }
}

/** A folder elsewhere on this machine: what is changed in it shows nowhere here. */
function leadsOut(link: string, root: string): boolean {
  try {
    const to = realpathSync(link);
    return path.relative(realpathSync(root), to).startsWith("..") && statSync(to).isDirectory();
  } catch {
    return false;
  }
}

const printOf = (root: string, name: string): string | null => {
  const found = projectFile.read(root, name, { maxBytes: MOST_BYTES });
  return found.kind === "read" && !found.cut ? sha256(found.bytes) : null;
};

/** What the project lends, as it stands now. */
async function lendings(
  context: RepositoryContext,
  signal: AbortSignal | undefined,
): Promise<{ print: Json; folders: string[] } | undefined> {
  const { git, root } = context;
  const { folders, included, generated } = await lentBy(git, root, signal);
  const print: Json[] = [...new Set([...included, ...generated])].map((name) => [name, printOf(root, name)]);
  for (const name of folders) {
    const installed = installedIn(path.join(root, name), root);
    if (installed === undefined) return undefined;
    print.push([name, installed.print]);
    // Packages of the project itself are read where the user has them.
    if (installed.leadsHome) print.push([name, (await contentOf(git, context, signal)) ?? null]);
  }
  return { print, folders };
}

/** A folder of links that holds what its source does, and nothing more. */
function isLent(source: string, folder: string): boolean {
  const own = (at: string): Dirent[] => entriesOf(at).filter(({ name }) => !CACHES.has(name));
  const theirs = own(source);
  const ours = own(folder);
  return (
    ours.length === theirs.length &&
    ours.every((entry, index) => {
      const [from, to] = [path.join(source, entry.name), path.join(folder, entry.name)];
      if (theirs[index]?.name !== entry.name) return false;
      return entry.isDirectory() ? entry.name.startsWith("@") && isLent(from, to) : entry.isSymbolicLink() && readlinkSync(to) === from;
    })
  );
}

function isPlain(
  { root, prefix }: RepositoryContext,
  top: string,
  { folders, files }: Awaited<ReturnType<typeof ignoredIn>>,
  lent: readonly string[],
): boolean {
  const inProject = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : "");
  return (
    folders.every((name) => {
      if (TOOL_CACHES.has(path.posix.basename(name))) return true;
      return lent.includes(inProject(name)) && isLent(path.join(root, inProject(name)), path.join(top, name));
    }) &&
    files.every((name) => {
      const print = inProject(name) === "" ? null : printOf(root, inProject(name));
      return print !== null && print === printOf(top, name);
    })
  );
}

/** Of the project as a new copy of it would stand, or of the work tree in this folder. */
export async function whatStands(
  context: RepositoryContext,
  top: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Standing | undefined> {
  const git = top === undefined ? context.git : gitIn(context, top);
  const [content, lent, ignored] = await Promise.all([
    contentOf(git, context, signal),
    lendings(context, signal),
    top === undefined ? undefined : ignoredIn(git, top, signal),
  ]);
  if (content === undefined || lent === undefined) return undefined;
  const plain = top === undefined || ignored === undefined || isPlain(context, top, ignored, lent.folders);
  return { name: sha256(canonicalJson([content, lent.print])), plain };
}
