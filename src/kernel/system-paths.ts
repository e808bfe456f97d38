/**
 * Where Sylk keeps its files (STO-001…011). The only place that looks up home and temp folders.
 * Order for each folder: `SYLK_HOME` moves all four; else its XDG variable; else an existing
 * `~/.sylk`; else the platform's own place.
 */
import { existsSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { machinePath } from "./machine-path.ts";
import { noPlace } from "./no-place.ts";
import { placeKind } from "./place-kind.ts";
import { prepareDirs } from "./prepare-dirs.ts";

export interface Dirs {
  config: string;
  data: string;
  cache: string;
  state: string;
}

export interface PathEnvironment {
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
}

type DirName = keyof Dirs;
const XDG: Record<DirName, string> = { config: "XDG_CONFIG_HOME", data: "XDG_DATA_HOME", cache: "XDG_CACHE_HOME", state: "XDG_STATE_HOME" };
const UNIX: Record<DirName, string> = {
  config: ".config/sylk",
  data: ".local/share/sylk",
  cache: ".cache/sylk",
  state: ".local/state/sylk",
};
const MAC: Record<DirName, string> = {
  config: "Library/Preferences/sylk",
  data: "Library/Application Support/sylk",
  cache: "Library/Caches/sylk",
  state: "Library/Logs/sylk",
};

/** What the account says counts where the environment says nothing of use; a relative folder would be one of the project's. */
function homeOf(env: PathEnvironment["env"]): string {
  const home = env["HOME"];
  if (home !== undefined && path.isAbsolute(home)) return home;
  const { homedir } = userInfo();
  return path.isAbsolute(homedir) ? homedir : path.parse(process.cwd()).root;
}

function under(root: string): Dirs {
  return { config: root, data: path.join(root, "data"), cache: path.join(root, "cache"), state: path.join(root, "state") };
}

function platformDefault(name: DirName, { env, platform }: PathEnvironment): string {
  const home = homeOf(env);
  if (platform === "darwin") return path.join(home, MAC[name]);
  if (platform === "win32") {
    const roaming = env["APPDATA"] ?? path.join(home, "AppData", "Roaming");
    const local = env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local");
    return path.join(name === "config" ? roaming : local, "sylk", name);
  }
  return path.join(home, UNIX[name]);
}

function dirs(where: PathEnvironment = { env: process.env, platform: process.platform }): Dirs {
  const moved = where.env["SYLK_HOME"];
  // A relative one would be a folder of whatever project one stands in, and hold what that project brings.
  if (moved !== undefined && moved !== "" && !path.isAbsolute(moved))
    throw noPlace(`SYLK_HOME is ${JSON.stringify(moved)}, not the full path of a folder`);
  if (moved !== undefined && moved !== "") return under(path.normalize(moved));
  const dotted = path.join(homeOf(where.env), ".sylk");
  const fallback = existsSync(dotted) ? under(dotted) : undefined;
  const said = where.env["HOME"];
  const one = (name: DirName): string => {
    const value = where.env[XDG[name]];
    if (value !== undefined && path.isAbsolute(value)) return path.join(value, "sylk");
    if (said !== undefined && !path.isAbsolute(said)) throw noPlace(`HOME is ${JSON.stringify(said)}, not the full path of a folder`);
    return fallback?.[name] ?? platformDefault(name, where);
  };
  return { config: one("config"), data: one("data"), cache: one("cache"), state: one("state") };
}

/** Where Node keeps what it compiled of Sylk: what stands there is run, so nobody else may write to it. */
function compiled(): string {
  const folder = path.join(dirs().cache, "compile");
  prepareDirs([folder]);
  return folder;
}

/** The user's home folder. */
function home(env: Record<string, string | undefined> = process.env): string {
  return homeOf(env);
}

/** Besides the one that the environment says, the account's own: programs differ in which they ask. */
function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return path.isAbsolute(homedir) ? homedir : undefined;
  } catch {
    // A user without an account, as in containers.
    return undefined;
  }
}

/** What a setting names: from the home folder where it says `~`, else from `base`. */
function named(place: string, base: string, env: Record<string, string | undefined>): string {
  return place === "~" || place.startsWith("~/") ? path.join(homeOf(env), place.slice(1)) : path.resolve(base, place);
}

/** `$TMPDIR/sylk-<name>-<user>`: large artefacts the system may clean (STO-008). Each user has their own, closed to others. */
function temp(name: string): string {
  const owner = process.getuid?.();
  return path.join(tmpdir(), owner === undefined ? `sylk-${name}` : `sylk-${name}-${owner}`);
}

/** A file that ships with Sylk: prompts, task types. The package's root is the nearest folder above with its manifest. */
function shipped(...parts: string[]): string {
  let dir = import.meta.dirname;
  while (!existsSync(path.join(dir, "package.json")) && dir !== path.dirname(dir)) dir = path.dirname(dir);
  return path.join(dir, ...parts);
}

export const systemPaths = { dirs, compiled, home, accountHome, named, temp, shipped, kind: placeKind, machine: machinePath } as const;
