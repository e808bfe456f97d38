/**
 * Names of files that are written beside their target and then renamed. A kill in between leaves them; the name tells
 * whose they are, so that whoever writes there next can remove those of the dead and leave those of the living.
 */
import { holders } from "./holders.ts";
import { newId } from "./ids.ts";

const OWN = /^\.?(?<name>.+?)(?:\.(?<pid>\d+)-(?<started>\d+))?\.tmp_[0-9a-hjkmnp-tv-z]{26}$/u;
const MAX_NAME = 100;

function nameFor(name: string, nowMs: number): string {
  const [pid, started] = holders.ofProcess().split(":").slice(-2);
  return `.${name.slice(0, MAX_NAME)}.${pid}-${started}.${newId("tmp", nowMs)}`;
}

/** Whether an entry of a folder was left by a process that is gone; for one target, or for any. */
function isDead(entry: string, target?: string): boolean {
  const { name, pid, started } = OWN.exec(entry)?.groups ?? {};
  if (name === undefined || (target !== undefined && name !== target.slice(0, MAX_NAME))) return false;
  // Earlier versions did not say whose it is.
  if (pid === undefined) return true;
  const host = holders.ofProcess().split(":").slice(0, -2).join(":");
  return holders.state(`${host}:${pid}:${started}`) === "dead";
}

export const tempFiles = { nameFor, isDead } as const;
