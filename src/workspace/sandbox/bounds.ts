/**
 * How much one command may take of the machine. A control group bounds the whole tree of processes
 * where one can be had; limits of each process hold everywhere. The system does not count processes
 * for its administrator, so without a control group that one number does not bind there.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import path from "node:path";

export interface SandboxLimits {
  memoryMb: number;
  openFiles: number;
  fileMb: number;
  processes: number;
  /** Size of the private temporary folder. */
  tempMb: number;
}

/** Sizes: `-d` in KiB, `-f` in blocks of 512 bytes. Shells name the number of processes differently. */
const SET =
  'ulimit -c 0; ulimit -n "$1" 2>/dev/null; ulimit -d "$2" 2>/dev/null; ulimit -f "$3" 2>/dev/null; ' +
  '[ "$4" = 0 ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null; shift 4; exec "$@"';
const JOIN = 'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1"; shift; n=$((n-1)); done 2>/dev/null; exec "$@"';

/** Since 5.14 processes are counted for each user namespace; before, all of the user's would count. */
function countsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** Sets limits and becomes the command. */
export function limited(argv: readonly string[], limits: SandboxLimits): string[] {
  const processes = process.platform === "linux" && countsByNamespace() ? limits.processes : 0;
  const values = [limits.openFiles, limits.memoryMb * 1024, limits.fileMb * 2048, processes];
  return ["sh", "-c", SET, "sh", ...values.map(String), ...argv];
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

function candidates(): Controller[] {
  const own = ownGroups();
  const memory = (limits: SandboxLimits): string => String(limits.memoryMb * 1024 * 1024);
  const one = own.get("");
  if (one !== undefined && existsSync(path.join(CGROUPS, "cgroup.controllers"))) {
    const at = path.join(CGROUPS, one);
    const parent = at === CGROUPS ? at : path.dirname(at);
    const granted = existsSync(path.join(parent, "cgroup.subtree_control"))
      ? readFileSync(path.join(parent, "cgroup.subtree_control"), "utf8").split(/\s+/u)
      : [];
    if (!granted.includes("pids")) return [];
    return [
      {
        parent,
        settings: (limits) => ({
          "pids.max": String(limits.processes),
          ...(granted.includes("memory") ? { "memory.max": memory(limits) } : {}),
        }),
      },
    ];
  }
  const old = (name: string, settings: Controller["settings"]): Controller[] =>
    own.has(name) ? [{ parent: path.join(CGROUPS, name, own.get(name) ?? ""), settings }] : [];
  return [
    ...old("pids", (limits) => ({ "pids.max": String(limits.processes) })),
    ...old("memory", (limits) => ({ "memory.limit_in_bytes": memory(limits) })),
  ];
}

export interface Bound {
  /** Joins the groups and becomes the command. */
  join(argv: readonly string[]): string[];
  /** A group counts the processes. */
  counts: boolean;
  release(): void;
}

let made = 0;

/** A group for one command; undefined where none can be made. */
function openGroup(controller: Controller, limits: SandboxLimits): string | undefined {
  const group = path.join(controller.parent, `sylk-${process.pid}-${(made += 1)}`);
  try {
    mkdirSync(group);
  } catch {
    return undefined;
  }
  try {
    for (const [name, value] of Object.entries(controller.settings(limits))) writeFileSync(path.join(group, name), value);
    return group;
  } catch {
    rmdirSync(group);
    // A group without its settings bounds nothing.
    return undefined;
  }
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
  const groups = process.platform === "linux" ? candidates().flatMap((one) => openGroup(one, limits) ?? []) : [];
  const counts = groups.some((group) => existsSync(path.join(group, "pids.max")));
  return {
    counts,
    join: (argv) =>
      groups.length === 0
        ? [...argv]
        : ["sh", "-c", JOIN, "sh", String(groups.length), ...groups.map((group) => path.join(group, "cgroup.procs")), ...argv],
    release() {
      for (const group of groups) {
        try {
          rmdirSync(group);
        } catch {
          // A process that is still ending keeps it; an empty group costs nothing.
        }
      }
    },
  };
}
