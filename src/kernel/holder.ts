/**
 * Names this process so that others on the machine can tell whether it still lives. A process id
 * alone may be reused; with the start time it may not.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "./errors.ts";

function startTime(pid: number): string {
  try {
    // Field 22 of /proc/<pid>/stat; the command name before it may hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

let own: string | undefined;

/** `<host>:<pid>:<start>` of this process. */
export function processHolder(): string {
  own ??= `${hostname()}:${process.pid}:${startTime(process.pid)}`;
  return own;
}

/** True only when the holder ran on this machine and is certainly gone. */
export function isHolderDead(holder: string): boolean {
  const match = /^(.*):(\d+):(\d+)$/.exec(holder);
  if (match === null || match[1] !== hostname()) return false;
  const pid = Number(match[2]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "ESRCH";
  }
  const started = startTime(pid);
  return match[3] !== "0" && started !== "0" && started !== match[3];
}
