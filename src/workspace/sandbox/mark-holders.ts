/**
 * Who holds a place now, of all Sylk processes of this user: one empty file for each, whose name says which
 * process it is. What a process that is gone left counts no more.
 */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, rmdirSync, statSync } from "node:fs";
import path from "node:path";
import { sha256, systemCode, holders, systemPaths } from "../../kernel/index.ts";

const LOCK = "lock";
const LOCK_TRIES = 500;
const LOCK_WAIT_MS = 2;
/** What is done under the lock takes far less: whoever has it longer was killed. */
const LOCK_OLD_MS = 2_000;

let made = 0;

const folderOf = (place: string): string => path.join(systemPaths.temp("work"), "marks", sha256(place).slice(0, 32));

function touch(file: string): void {
  closeSync(openSync(file, "wx", 0o600));
}

/** One process at a time looks and acts. */
function locked(folder: string, act: () => void): void {
  const lock = path.join(folder, LOCK);
  for (let attempt = 0; attempt < LOCK_TRIES; attempt += 1) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      touch(lock);
      break;
    } catch (error) {
      if (!["EEXIST", "ENOENT"].includes(systemCode(error) ?? "")) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_WAIT_MS);
    const age = attempt * LOCK_WAIT_MS;
    if (age > LOCK_OLD_MS / 4 && isOld(lock)) rmSync(lock, { force: true });
  }
  try {
    act();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** By the clock that wrote it: a new file beside it is as old as now. */
function isOld(lock: string): boolean {
  const probe = `${lock}.${process.pid}`;
  rmSync(probe, { force: true });
  touch(probe);
  const now = statSync(probe).mtimeMs;
  rmSync(probe, { force: true });
  const info = statSync(lock, { throwIfNoEntry: false });
  return info !== undefined && now - info.mtimeMs > LOCK_OLD_MS;
}

function isHeld(folder: string): boolean {
  return readdirSync(folder)
    .filter((name) => !name.startsWith(LOCK))
    .some((name) => holders.state(decodeURIComponent(name.slice(0, name.lastIndexOf("~")))) !== "dead");
}

/** `take` is done now, `leave` when this is over, unless somebody else still holds the place. */
export function holdTogether(place: string, take: () => void, leave: () => void): () => void {
  const folder = folderOf(place);
  const own = path.join(folder, `${encodeURIComponent(holders.ofProcess())}~${(made += 1)}`);
  locked(folder, () => {
    take();
    touch(own);
  });
  return () => {
    locked(folder, () => {
      rmSync(own, { force: true });
      if (isHeld(folder)) return;
      leave();
      for (const name of readdirSync(folder)) if (!name.startsWith(LOCK)) rmSync(path.join(folder, name), { force: true });
    });
    try {
      rmdirSync(folder);
    } catch {
      // Somebody came meanwhile.
    }
  };
}
