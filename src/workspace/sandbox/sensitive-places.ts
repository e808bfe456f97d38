/**
 * What in a work folder no command may read, because `read_file` would refuse it too: `.env` files, keys
 * and credentials that git does not track, and Sylk's own records, copies of files among them. What is
 * tracked is no secret any more, and tests often need it (a certificate of their own). Found anew every few
 * seconds: files come and go. Folders of dependencies and build output are not looked through, nor is what
 * comes after very many entries: a secret that lies there stays readable. Repositories further down are
 * looked for in build output too, and wherever the index says that a submodule belongs.
 */
import { lstatSync, statSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { fileSensitivity } from "../../guard/index.ts";
import type { Clock } from "../../kernel/index.ts";
import { gitDirOf, topOf } from "../git-folders.ts";
import { isBelow } from "./bubblewrap.ts";
import { createGitReader } from "../git/git.ts";

const SKIPPED = new Set([".git", "node_modules", ".venv", "venv", "__pycache__"]);
/** Looked through last, for repositories only. */
const BUILT = new Set(["vendor", "target", "dist", "build", ".cache"]);
const MAX_ENTRIES = 50_000;
const KEEP_MS = 5_000;
const ANY_EXECUTE = 0o111;
/** Programs and settings that every command needs. */
const MACHINE = /^\/(?:usr|bin|sbin|lib\w*|etc|opt|nix|dev|proc|sys)\//u;
const OWN = /^(?:local|tasks|(?:sylk|knowledge)\.db.*)$/;

interface Link {
  place: string;
  /** Where it leads. */
  to: string;
  /** That, too, is named like a secret. */
  isSecret: boolean;
  isProgram: boolean;
}

interface Places {
  secrets: string[];
  /** `.git` of repositories further down, submodules among them. */
  repositories: string[];
}

export interface SensitivePlaces {
  in(folder: string): Promise<Places>;
  /** As it is now. */
  again(folder: string): Promise<Places>;
}

interface Walk {
  found: string[];
  /** Links under such names. */
  links: Link[];
  repositories: string[];
  seen: number;
}

/** Where a link leads that may be somebody's secret: no folder, and nothing of the machine's own. */
async function leadsTo(place: string): Promise<Link[]> {
  try {
    const [to, info] = await Promise.all([realpath(place), stat(place)]);
    if (!info.isFile() || MACHINE.test(to)) return [];
    return [{ place, to, isSecret: fileSensitivity(to).handling === "skip", isProgram: (info.mode & ANY_EXECUTE) !== 0 }];
  } catch {
    return [];
  }
}

async function lookInto(folder: string, dir: string, built: boolean, walk: Walk): Promise<{ open: string[]; later: string[] }> {
  const [open, later]: [string[], string[]] = [[], []];
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  walk.seen += entries.length;
  const own = path.relative(folder, dir) === ".sylk";
  for (const entry of entries) {
    const place = path.join(dir, entry.name);
    if (entry.name === ".git" && dir !== folder) walk.repositories.push(place);
    if (own && OWN.test(entry.name)) walk.found.push(place);
    else if (entry.isDirectory() && !SKIPPED.has(entry.name)) (built || BUILT.has(entry.name) ? later : open).push(place);
    else if (!built && !entry.isDirectory() && fileSensitivity(place).handling === "skip") {
      if (entry.isFile()) walk.found.push(place);
      else if (entry.isSymbolicLink()) walk.links.push(...(await leadsTo(place)));
    }
  }
  return { open, later };
}

/** Outer folders first. */
async function candidates(folder: string): Promise<Walk> {
  const walk: Walk = { found: [], links: [], repositories: [], seen: 0 };
  const built: string[] = [];
  for (let level = [folder]; level.length > 0 && walk.seen < MAX_ENTRIES;) {
    const next: string[] = [];
    for (const dir of level) {
      if (walk.seen >= MAX_ENTRIES) break;
      const { open, later } = await lookInto(folder, dir, false, walk);
      next.push(...open);
      built.push(...later);
    }
    level = next;
  }
  for (const dir of built) {
    if (walk.seen >= MAX_ENTRIES) break;
    built.push(...(await lookInto(folder, dir, true, walk)).later);
  }
  return walk;
}

/** Where submodules belong, whether one is there or not. */
export async function submodulePlaces(folder: string, clock: Clock): Promise<string[]> {
  const listed = await createGitReader(folder, clock)
    .run(["ls-files", "--stage", "-z"], { accept: [128] })
    .catch(() => undefined);
  if (listed === undefined || listed.code !== 0) return [];
  return listed.stdout
    .toString("utf8")
    .split("\0")
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => path.join(folder, entry.slice(entry.indexOf("\t") + 1), ".git"));
}

function indexStamp(folder: string): string {
  const top = topOf(folder);
  const gitDir = top === undefined ? undefined : gitDirOf(path.join(top, ".git"));
  const info = gitDir === undefined ? undefined : statSync(path.join(gitDir, "index"), { throwIfNoEntry: false });
  return info === undefined ? "none" : [gitDir, info.ino, info.size, info.mtimeMs].join(":");
}

async function trackedOf(folder: string, places: readonly string[], clock: Clock): Promise<Set<string>> {
  const names = [...new Set(places)].map((place) => path.relative(folder, place)).filter((name) => !name.startsWith(".."));
  if (names.length === 0) return new Set();
  const listed = await createGitReader(folder, clock)
    .run(["ls-files", "-z", "--", ...names.map((name) => `:(literal)${name}`)], { accept: [0, 128] })
    .catch(() => undefined);
  const tracked = listed === undefined || listed.code !== 0 ? [] : listed.stdout.toString("utf8").split("\0");
  return new Set(tracked.filter((name) => name !== "").map((name) => path.join(folder, name)));
}

/**
 * A link is hidden where it leads to: the place itself cannot be covered. One that leads to another name in the folder hides
 * nothing that git tracks, and nothing when git tracks the link: that is a clone's text, and could name a test.
 */
async function withoutTracked(folder: string, { found, links }: Walk, clock: Clock): Promise<{ files: string[]; links: Link[] }> {
  const keys = found.filter((place) => !/^\.env(?:\.|$)/i.test(path.basename(place)) && !isOwn(folder, place));
  const inside = links.filter(({ to }) => isBelow(to, folder));
  const tracked = await trackedOf(folder, [...keys, ...inside.flatMap(({ place, to }) => [place, to])], clock);
  const asked = new Set(keys);
  return {
    files: found.filter((place) => !asked.has(place) || !tracked.has(place)),
    links: links.filter(({ place, to }) => !isBelow(to, folder) || (!tracked.has(place) && !tracked.has(to))),
  };
}

const asText = ({ place, to }: Link): string => `${place}\0${to}`;

const isOwn = (folder: string, place: string): boolean => path.relative(folder, place).startsWith(`.sylk${path.sep}`);

export function createSensitivePlaces(clock: Clock): SensitivePlaces {
  const known = new Map<string, { at: number; places: Promise<Places> }>();
  const submodules = new Map<string, { stamp: string; places: Promise<string[]> }>();
  /** Links that stood there before the first command: one that came later could have been made to take a check's own files away. */
  const linked = new Map<string, Set<string>>();
  const submodulesIn = (folder: string): Promise<string[]> => {
    const stamp = indexStamp(folder);
    const last = submodules.get(folder);
    if (last?.stamp === stamp) return last.places;
    const places = stamp === "none" ? Promise.resolve([]) : submodulePlaces(folder, clock);
    submodules.set(folder, { stamp, places });
    return places;
  };
  const again = (folder: string): Promise<Places> => {
    const places = candidates(folder).then(async (walk) => {
      const submodules = (await submodulesIn(folder)).filter((place) => lstatSync(place, { throwIfNoEntry: false }) !== undefined);
      const { files, links } = await withoutTracked(folder, walk, clock);
      const before = linked.get(folder) ?? new Set(links.map(asText));
      linked.set(folder, before);
      const closed = links.filter((link) => link.isSecret || (!link.isProgram && before.has(asText(link)))).map(({ to }) => to);
      return { secrets: [...files, ...closed], repositories: [...new Set([...submodules, ...walk.repositories])] };
    });
    known.set(folder, { at: clock.monotonic(), places });
    return places;
  };
  return {
    again,
    in(folder) {
      const last = known.get(folder);
      return last !== undefined && clock.monotonic() - last.at < KEEP_MS ? last.places : again(folder);
    },
  };
}
