/**
 * The command line of a bubblewrap sandbox (SEC-033): the whole system read-only, keys and sockets
 * hidden, the work folder writable, own processes, own temporary folder, no capabilities and no network.
 */
import { existsSync, realpathSync, statSync, type Stats } from "node:fs";
import path from "node:path";
import { systemPaths } from "../../kernel/index.ts";
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
  hidden: readonly string[];
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
/** A device that may not be opened inside. */
const REFUSED = "/dev/null";

export const isBelow = (place: string, folder: string): boolean => place.startsWith(`${folder}${path.sep}`);

/** Where the places really stand: what is covered by the name of a link is read by the other name. */
function realPlaces(places: readonly string[]): Map<string, Stats> {
  return new Map(
    places.flatMap((place): [string, Stats][] => {
      const info = statSync(place, { throwIfNoEntry: false });
      return info === undefined ? [] : [[realpathSync.native(place), info]];
    }),
  );
}

export function bubblewrapArgv(request: BubblewrapRequest): string[] {
  const roots = request.writable.filter((dir) => existsSync(dir));
  // Where a work folder lies below a hidden place, as trees do, it is seen all the same.
  const hidden = realPlaces(request.hidden);
  const seen = request.readable.filter((dir) => [TEMP, ...hidden.keys()].some((place) => isBelow(dir, place)));
  const folder = (place: string, bytes: number): string[] => [...(request.sized ? ["--size", String(bytes)] : []), "--tmpfs", place];
  const temp = (place: string): string[] => folder(place, request.limits.tempMb * 1024 * 1024);
  const hide = ([target, info]: [string, Stats], by: string): string[] =>
    info.isDirectory() ? folder(target, HIDDEN_BYTES) : ["--ro-bind", by, target];
  const bind = (how: Mount["how"], places: readonly string[]): string[] =>
    places.filter((place) => existsSync(place)).flatMap((place) => [how, place, place]);
  const tools = request.tools.filter((dir) => isBelow(dir, TEMP) && !roots.some((root) => dir === root || isBelow(dir, root)));
  return [
    request.program,
    ...SYSTEM,
    ...temp("/dev/shm"),
    ...temp(TEMP),
    ...bind("--ro-bind", tools),
    // A program that reads its settings there finds none, and goes on.
    ...[...hidden].flatMap((place) => hide(place, EMPTY)),
    ...bind("--ro-bind", seen),
    ...bind("--bind", roots),
    ...bind("--bind", request.pinned),
    ...bind("--ro-bind", request.readOnly),
    ...request.mounts.flatMap(({ how, from, to }) => [how, from, to]),
    // Opening the work folder must not bring back what was hidden in it; whoever reads it there is refused.
    ...[...hidden].filter(([target]) => [...roots, ...seen].some((root) => isBelow(target, root))).flatMap((place) => hide(place, REFUSED)),
    "--unshare-all",
    ...(request.shareNetwork ? ["--share-net"] : []),
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    ...Object.entries(request.inside).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    request.cwd,
    "--",
    ...limited(request.argv, request.limits),
  ];
}
