/**
 * How much one command may take of the machine. A control group bounds the whole tree of processes
 * where one can be had; limits of each process hold everywhere. The system does not count processes
 * for its administrator, so without a control group that one number does not bind there.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import path from "node:path";
import { OWN_SHELL } from "../own-shell.ts";

export interface SandboxLimits {
  memoryMb: number;
  openFiles: number;
  fileMb: number;
  processes: number;
  /** Size of the private temporary folder. */
  tempMb: number;
}

/** Sizes: `-d` in KiB, `-f` in blocks of 512 bytes. Shells name the number of processes differently. No file is needed for it. */
const SET =
  'ulimit -c 0; ulimit -n "$1" 2>&-; ulimit -d "$2" 2>&-; ulimit -f "$3" 2>&-; ' +
  '[ "$4" = 0 ] || ulimit -u "$4" 2>&- || ulimit -p "$4" 2>&-; shift 4; exec "$@"';
/** A command that could not enter would be bounded by nothing, so it is not started. */
const JOIN =
  '{ echo 0 > "$1"; } 2>/dev/null || { echo "not started: the control group $1 that bounds it is gone" >&2; exit 125; }; shift; exec "$@"';

/** Since 5.14 processes are counted for each user namespace; before, all of the user's would count. */
function countsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** Sets limits and becomes the command. */
export function limited(argv: readonly string[], limits: SandboxLimits): string[] {
  const processes = process.platform === "linux" && countsByNamespace() ? limits.processes : 0;
  const values = [limits.openFiles, limits.memoryMb * 1024, limits.fileMb * 2048, processes];
  return [OWN_SHELL, "-c", SET, "sh", ...values.map(String), ...argv];
}

interface Controller {
  /** Folder in which groups can be made. */
  parent: string;
  settings: (limits: SandboxLimits) => Record<string, string>;
}

const CGROUPS = "/sys/fs/cgroup";

function ownGroups(): Map<string, string> {
  if (!existsSync("/proc/self/cgroup")) return new Map();
  const lines = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  return new Map(lines.flatMap((line) => (line.split(":")[1] ?? "").split(",").map((name) => [name, line.split(":").slice(2).join(":")])));
}

/** Undefined where no group can count processes. */
function controllerHere(): Controller | undefined {
  const own = ownGroups();
  const memory = (limits: SandboxLimits): string => String(limits.memoryMb * 1024 * 1024);
  const one = own.get("");
  if (one !== undefined && existsSync(path.join(CGROUPS, "cgroup.controllers"))) {
    const at = path.join(CGROUPS, one);
    const parent = at === CGROUPS ? at : path.dirname(at);
    const granted = existsSync(path.join(parent, "cgroup.subtree_control"))
      ? readFileSync(path.join(parent, "cgroup.subtree_control"), "utf8").split(/\s+/u)
      : [];
    if (!granted.includes("pids")) return undefined;
    return {
      parent,
      settings: (limits) => ({
        "pids.max": String(limits.processes),
        ...(granted.includes("memory") ? { "memory.max": memory(limits) } : {}),
      }),
    };
  }
  // The older kind has one tree for each thing that is counted, and entering each of them costs time.
  const pids = own.get("pids");
  if (pids === undefined) return undefined;
  return { parent: path.join(CGROUPS, "pids", pids), settings: (limits) => ({ "pids.max": String(limits.processes) }) };
}

export interface Bound {
  /** Joins the group and becomes the command. */
  join(argv: readonly string[]): string[];
  /** A group counts the processes. */
  counts: boolean;
  release(): void;
}

let made = 0;
/** Groups can be made here and not be entered: then none bounds anything. */
let useless = false;
/** Groups that no command uses now, by what they allow: making and removing one costs more than a command's start. */
const free = new Map<string, string[]>();

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // A process that is still ending keeps it; an empty group costs nothing.
  }
}

/** What processes that are gone left behind. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = /^sylk-(\d+)-\d+$/u.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) remove(path.join(parent, name));
  }
}

/** In the older kind a process of one thread enters by `tasks` without waiting until nothing on the machine forks: 9 ms less. */
const doorOf = (group: string): string => path.join(group, existsSync(path.join(group, "tasks")) ? "tasks" : "cgroup.procs");

/** Undefined where none can be made. */
function openGroup(limits: SandboxLimits): string | undefined {
  const controller = process.platform === "linux" && !useless ? controllerHere() : undefined;
  if (controller === undefined) return undefined;
  const group = path.join(controller.parent, `sylk-${process.pid}-${(made += 1)}`);
  try {
    if (made === 1) sweep(controller.parent);
    mkdirSync(group);
  } catch {
    return undefined;
  }
  try {
    for (const [name, value] of Object.entries(controller.settings(limits))) writeFileSync(path.join(group, name), value);
    useless = made === 1 && spawnSync(OWN_SHELL, ["-c", JOIN, "sh", doorOf(group), OWN_SHELL, "-c", ":"]).status !== 0;
    if (!useless) return group;
    rmdirSync(group);
    return undefined;
  } catch {
    // A group without its settings bounds nothing.
    rmdirSync(group);
    return undefined;
  }
}

/** Leaves nothing in the system's list of groups. */
export function closeBounds(): void {
  for (const groups of free.values()) for (const group of groups) remove(group);
  free.clear();
}

/** Nothing runs in it. One that is gone, as whoever cannot see this process takes it for left behind, is no use to anybody. */
function isIdle(group: string): boolean {
  try {
    return readFileSync(path.join(group, "cgroup.procs"), "utf8") === "";
  } catch {
    return false;
  }
}

function idleGroup(key: string): string | undefined {
  const known = free.get(key) ?? [];
  for (let group = known.pop(); group !== undefined; group = known.pop()) if (isIdle(group)) return group;
  return undefined;
}

/** Whether the number of processes can be bounded here at all. */
export function canCountProcesses(): boolean {
  if (process.platform !== "linux") return true;
  if (process.getuid?.() !== 0) return countsByNamespace();
  const bound = openBound({ memoryMb: 1_024, openFiles: 1_024, fileMb: 1_024, processes: 64, tempMb: 64 });
  bound.release();
  return bound.counts;
}

export function openBound(limits: SandboxLimits): Bound {
  const key = JSON.stringify(limits);
  const group = idleGroup(key) ?? openGroup(limits);
  if (group === undefined) return { counts: false, join: (argv) => [...argv], release: () => undefined };
  return {
    counts: true,
    join: (argv) => [OWN_SHELL, "-c", JOIN, "sh", doorOf(group), ...argv],
    release() {
      // What a command left running must not count against the next one.
      if (isIdle(group)) free.set(key, [...(free.get(key) ?? []), group]);
      else remove(group);
    },
  };
}
