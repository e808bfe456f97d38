/**
 * Finds and signals everything a command started, also what left its process group or was adopted
 * by init: members of the group, of the session, living descendants, and any process that carries
 * the invocation's mark in its environment.
 */
import { readFileSync, readdirSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";

/** The variable that marks every process of one invocation. */
export const MARK_VARIABLE = "SYLK_INVOCATION";

interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
}

function parseStat(pid: number, stat: string): (ProcessRow & { state: string; startTicks: string }) | undefined {
  // The name in brackets may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (state === undefined || session === undefined) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), state, startTicks: fields[19] ?? "" };
}

async function rows(): Promise<ProcessRow[]> {
  const names = await readdir("/proc").catch(() => [] as string[]);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/u.test(name))
      .map(async (name) => {
        const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => undefined);
        const row = stat === undefined ? undefined : parseStat(Number(name), stat);
        return row === undefined || row.state === "Z" || row.state === "X" ? undefined : row;
      }),
  );
  return found.filter((row) => row !== undefined);
}

async function carriesMark(pid: number, mark: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return environment.includes(`${MARK_VARIABLE}=${mark}\0`);
}

/** Living processes of an invocation. On systems without /proc only the group is known: an empty list. */
export async function treeOf(pid: number, mark: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const all = await rows();
  const members = new Set(
    all.filter((row) => pid > 1 && (row.pid === pid || row.group === pid || row.session === pid)).map((row) => row.pid),
  );
  const others = all.filter((row) => !members.has(row.pid) && row.pid !== process.pid);
  const marked = await Promise.all(others.map(async (row) => ((await carriesMark(row.pid, mark)) ? row.pid : undefined)));
  for (const found of marked) if (found !== undefined) members.add(found);
  const children = Map.groupBy(all, (row) => row.parent);
  const queue = [...members, ...(pid > 1 ? [pid] : [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      if (!members.has(child.pid)) {
        members.add(child.pid);
        queue.push(child.pid);
      }
    }
  }
  members.delete(process.pid);
  return [...members];
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // ESRCH: it is already gone. EPERM: it changed its user; nothing more can be done from here.
    return false;
  }
}

/** Bubblewrap dies of a polite signal and takes its command with it before that can tidy up. */
async function isSandboxShell(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim() === "bwrap";
}

/**
 * Signals the group and every strayed member; true when at least one process got it. A pid below 2
 * means: by mark only. Signals that may be handled go past the sandbox to what runs inside.
 */
export async function signalTree(pid: number, mark: string, signal: NodeJS.Signals): Promise<boolean> {
  const members = await treeOf(pid, mark);
  const polite = signal !== "SIGKILL";
  const spared = new Set(
    polite
      ? (await Promise.all(members.map(async (member) => ((await isSandboxShell(member)) ? member : undefined)))).filter(
          (member) => member !== undefined,
        )
      : [],
  );
  let reached = spared.size === 0 && pid > 1 && send(-pid, signal);
  for (const member of members) if (!spared.has(member)) reached = send(member, signal) || reached;
  return reached;
}

export function groupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Start time in clock ticks since boot: with the pid it names a process for good. */
export function startTicks(pid: number): string | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"))?.startTicks;
  } catch {
    return undefined;
  }
}

/** Pids of living processes that carry this mark; used to find what a crashed run left behind. */
export async function markedProcesses(mark: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  const found = await Promise.all(pids.map(async (name) => ((await carriesMark(Number(name), mark)) ? Number(name) : undefined)));
  return found.filter((pid) => pid !== undefined && pid !== process.pid) as number[];
}
