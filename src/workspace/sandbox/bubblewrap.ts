/**
 * The command line of a bubblewrap sandbox (SEC-033): the whole system read-only, keys and sockets
 * hidden, the work folder writable, own processes, own temporary folder, no capabilities and no network.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { SylkError, systemPaths } from "../../kernel/index.ts";
import { limited, type SandboxLimits } from "./bounds.ts";
import type { Mount } from "./commit-copy.ts";

export interface BubblewrapRequest {
  /** The program itself. */
  program: string;
  argv: readonly string[];
  cwd: string;
  /** Folders that may be written. */
  writable: readonly string[];
  /** Folders in them that may not be renamed. */
  pinned: readonly string[];
  /** Places in them that may not. */
  readOnly: readonly string[];
  /** Of these, a program that reads its settings finds none, and goes on. */
  absent: readonly string[];
  /** Who reads one of these is told that it may not. */
  refused: readonly string[];
  /** Folders of work that are only looked at. */
  readable: readonly string[];
  /** Folders of tools that must be seen although they lie below the temporary folder. */
  tools: readonly string[];
  mounts: readonly Mount[];
  /** Variables only what is inside gets. */
  inside: Readonly<Record<string, string>>;
  limits: SandboxLimits;
  /** Older versions cannot bound the size of a folder in memory. */
  sized: boolean;
  shareNetwork: boolean;
}

const TEMP = "/tmp";
/** Everything is there, nothing can be changed. */
const SYSTEM = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
const HIDDEN_BYTES = 65_536;
const EMPTY = systemPaths.shipped("data", "empty");
/** An empty file is none of JSON: a program would stop at it. */
const EMPTY_JSON = systemPaths.shipped("data", "empty.json");
/** A device that may not be opened inside. */
const REFUSED = "/dev/null";

/** Bubblewrap itself takes no more than 9,000. */
const MAX_WORDS = 8_900;

interface Place {
  at: string;
  isFolder: boolean;
  /** What a file is covered by. */
  by: string;
}

export const isBelow = (place: string, folder: string): boolean => place.startsWith(`${folder}${path.sep}`);

/** Where they really stand: what is covered by the name of a link is read by the other name. */
function placesOf(names: readonly string[], by: string): [at: string, place: Place][] {
  return names.flatMap((name): [string, Place][] => {
    try {
      const info = statSync(name, { throwIfNoEntry: false });
      // Devices inside are others than those outside, and every program needs some.
      if (info === undefined || info.isCharacterDevice() || info.isBlockDevice()) return [];
      const at = realpathSync.native(name);
      // A name for the whole machine hides nothing of it.
      return path.dirname(at) === at ? [] : [[at, { at, by, isFolder: info.isDirectory() }]];
    } catch {
      // A link that leads round and round, a folder without rights: no command reads it either.
      return [];
    }
  });
}

/** The folders on the way to a place that is hidden in a work folder: one that were renamed would be found by its new name. */
function foldersTo(at: string, roots: readonly string[]): string[] {
  const folders: string[] = [];
  for (const root of roots) for (let dir = path.dirname(at); isBelow(dir, root); dir = path.dirname(dir)) folders.push(dir);
  return folders;
}

const outerFirst = (folders: readonly string[]): string[] => [...new Set(folders)].toSorted((a, b) => a.length - b.length);

export function bubblewrapArgv(request: BubblewrapRequest): string[] {
  const roots = request.writable.filter((dir) => existsSync(dir));
  const places = new Map([...placesOf(request.absent, EMPTY), ...placesOf(request.refused, REFUSED)]);
  const folders = [...places.values()].flatMap(({ at, isFolder }) => (isFolder ? [at] : []));
  const isCovered = (dir: string): boolean => [TEMP, ...folders].some((place) => isBelow(dir, place));
  // Where a work folder lies below a hidden place, as trees do, it is seen all the same.
  const seen = request.readable.filter(isCovered);
  const tools = request.tools.filter((dir) => isCovered(dir) && !roots.some((root) => dir === root || isBelow(dir, root)));
  const isClosed = (dir: string, by: string): boolean =>
    [...places.values()].some((place) => place.by === by && place.isFolder && isBelow(dir, place.at));
  // A tool may stand beside somebody's sign-in (`~/.docker/bin`); what was closed by name stays closed.
  const reopened = tools.filter((dir) => isClosed(dir, EMPTY) && !isClosed(dir, REFUSED));
  const open = [...roots, ...seen, ...reopened];
  const isReopened = (at: string, covered: string): boolean => open.some((dir) => isBelow(dir, covered) && isBelow(at, dir));
  const hidden = [...places.values()].filter(({ at }) => !folders.some((covered) => isBelow(at, covered) && !isReopened(at, covered)));
  const folder = (place: string, bytes: number): string[] => [...(request.sized ? ["--size", String(bytes)] : []), "--tmpfs", place];
  const temp = (place: string): string[] => folder(place, request.limits.tempMb * 1024 * 1024);
  const hide = ({ at, isFolder }: Place, by: string): string[] => (isFolder ? folder(at, HIDDEN_BYTES) : ["--ro-bind", by, at]);
  const bind = (how: Mount["how"], places: readonly string[]): string[] =>
    places.filter((place) => existsSync(place)).flatMap((place) => [how, place, place]);
  const argv = [
    request.program,
    ...SYSTEM,
    ...temp("/dev/shm"),
    ...temp(TEMP),
    ...bind("--ro-bind", tools),
    ...hidden.flatMap((place) => hide(place, place.by === EMPTY && place.at.endsWith(".json") ? EMPTY_JSON : place.by)),
    ...bind("--ro-bind", reopened),
    ...bind("--ro-bind", seen),
    ...bind("--bind", roots),
    ...bind("--bind", outerFirst([...request.pinned, ...hidden.flatMap(({ at }) => foldersTo(at, roots))])),
    ...bind("--ro-bind", request.readOnly),
    ...request.mounts.flatMap(({ how, from, to }) => [how, from, to]),
    // Opening a folder must not bring back what was hidden in it. What is written there would be lost without a word.
    ...hidden
      .filter(({ at }) => open.some((dir) => isBelow(at, dir)))
      .flatMap((place) => [...hide(place, REFUSED), ...(place.isFolder ? ["--remount-ro", place.at] : [])]),
    "--unshare-all",
    ...(request.shareNetwork ? ["--share-net"] : []),
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    ...Object.entries(request.inside).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    request.cwd,
    "--",
  ];
  if (argv.length > MAX_WORDS)
    throw new SylkError({
      code: "SANDBOX_TOO_MANY_PLACES",
      tier: "user_fixable",
      message: `the sandbox would have to hide or hold ${hidden.length + request.readOnly.length} places, which is more than it can`,
      fix: "keep files for secrets (.env, *.pem …) in fewer places, or name those that commands may read in security.sandbox.visible",
    });
  return [...argv, ...limited(request.argv, request.limits)];
}
