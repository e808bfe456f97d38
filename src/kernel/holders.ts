/**
 * Names this process so that others on the machine can tell whether it still lives. A process id
 * alone may be reused; with the start time it may not.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "./errors.ts";

/** `stopped` lives, but does nothing until someone lets it go on; `unknown` is on another machine. */
export type HolderState = "alive" | "stopped" | "dead" | "unknown";

/** State letter and start time of a process; undefined when the system does not tell. */
function statOf(pid: number): { letter: string; started: string } | undefined {
  try {
    // Fields 3 and 22 of /proc/<pid>/stat; the command name before them may hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { letter: fields[0] ?? "", started: fields[19] ?? "0" };
  } catch {
    return undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

const holderOf = (pid: number): string => `${hostname()}:${pid}:${statOf(pid)?.started ?? "0"}`;

let own: { pid: number; holder: string } | undefined;

/** `<host>:<pid>:<start>` of this process, or of another on this machine. */
function ofProcess(pid?: number): string {
  if (pid !== undefined) return holderOf(pid);
  if (own?.pid !== process.pid) own = { pid: process.pid, holder: holderOf(process.pid) };
  return own.holder;
}

/** What became of a holder. One that its parent has not buried yet is dead all the same. */
function state(holder: string): HolderState {
  if (holder === ofProcess()) return "alive";
  const match = /^(.*):(\d+):(\d+)$/.exec(holder);
  if (match === null || match[1] !== hostname()) return "unknown";
  const pid = Number(match[2]);
  if (!exists(pid)) return "dead";
  const now = statOf(pid);
  if (now === undefined) return "alive";
  if (match[3] !== "0" && now.started !== match[3]) return "dead";
  if (/^[ZXx]$/u.test(now.letter)) return "dead";
  return /^[Tt]$/u.test(now.letter) ? "stopped" : "alive";
}

export const holders = { ofProcess, state } as const;
