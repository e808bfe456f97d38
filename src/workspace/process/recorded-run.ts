/**
 * A command whose end is known even when the process that started it is not there to see it: its
 * output goes to files and its exit status is written, last and whole, by a small shell around it.
 * The folder is on disk before the command is intended. The shell then waits for a word of whoever started it,
 * which is given after a mark is on disk; when nobody is left to give it, the shell says so and ends. So after a
 * crash, or after the power failed, the folder tells whether the command certainly never began, still runs, ended,
 * or may have begun. What may have begun is never started again.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { systemCode, type Clock, holders } from "../../kernel/index.ts";
import { findProgram } from "../find-program.ts";
import { OWN_SHELL } from "../own-shell.ts";
import type { Stream } from "./shape-output.ts";

const BOOT = "/proc/sys/kernel/random/boot_id";
const WRAPPER = `d=$1; m=$2; shift 2; read -r w <&3 || { : > "$d/never"; exit 125; }; exec 3<&-; { read -r b < ${BOOT}; read -r s < /proc/$$/stat; } 2> /dev/null; echo "$$ $b $s" > "$d/started"; \
"$@" > "$d/stdout" 2> "$d/stderr"; c=$?; echo $c > "$d/exit.tmp"; "$m" "$d/exit.tmp" "$d/exit"; exit $c`;
const POLL_MS = 20;
const TAIL_BYTES = 256 * 1024;
/** There is room for a record, and nothing was started. */
const READY = "ready";
/** From here on it may have been started. */
const SPAWNING = "spawning";
/** Nobody was left to say that it may begin. */
const NEVER = "never";

function sync(file: string): void {
  const fd = openSync(file, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function mark(dir: string, name: string): void {
  writeFileSync(path.join(dir, name), "", { mode: 0o600 });
  sync(path.join(dir, name));
  sync(dir);
}

/** Makes room for the record of a command that is about to be intended; on disk when it returns. */
export function readyRecord(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  const first = mkdirSync(dir, { recursive: true, mode: 0o700 }) ?? dir;
  mark(dir, READY);
  for (let at = dir; at !== path.dirname(first); at = path.dirname(at)) sync(path.dirname(at));
}

/** The command line that records itself in `dir`, once a line was written to its fourth stream. */
export function recordedArgv(dir: string, argv: readonly string[]): [string, ...string[]] {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const mv = findProgram("mv", process.env["PATH"] ?? "") ?? "mv";
  return [OWN_SHELL, "-c", WRAPPER, "sh", dir, mv, ...argv];
}

/** On disk before the shell hears its word. */
export function markSpawning(dir: string): void {
  mark(dir, SPAWNING);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Hands on what the files have gained since the last call. */
export class OutputTail {
  readonly #dir: string;
  readonly #at: Record<Stream, number> = { stdout: 0, stderr: 0 };

  constructor(dir: string) {
    this.#dir = dir;
  }

  read(onData: (stream: Stream, chunk: Buffer) => void): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const file = path.join(this.#dir, stream);
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (size <= this.#at[stream]) continue;
      const fd = openSync(file, "r");
      try {
        while (this.#at[stream] < size) {
          const chunk = Buffer.alloc(Math.min(TAIL_BYTES, size - this.#at[stream]));
          const got = readSync(fd, chunk, 0, chunk.length, this.#at[stream]);
          if (got === 0) break;
          this.#at[stream] += got;
          onData(stream, chunk.subarray(0, got));
        }
      } finally {
        closeSync(fd);
      }
    }
  }
}

export type RecordedState =
  | { kind: "not_started" }
  | { kind: "running"; pid: number }
  | { kind: "ended"; exitCode: number }
  | { kind: "cut_off" };

/** The shell that wrote `started`, when it still is that one: a number alone may be another's by now. */
function livingShell(started: string): number | undefined {
  const [pid = "", boot = "", ...stat] = started.trim().split(" ");
  const holder = holders.ofProcess(Number(pid));
  if (!/^\d+$/u.test(pid) || holders.state(holder) === "dead") return undefined;
  if (boot !== "" && boot !== textOf(BOOT)?.trim()) return undefined;
  const began = stat.slice(stat.findLastIndex((word) => word.endsWith(")")) + 1)[19];
  return began === undefined || holder.endsWith(`:${began}`) ? Number(pid) : undefined;
}

/** A shell that was forked and has not come to write its mark yet. */
function startingShell(dir: string): number | undefined {
  if (!existsSync("/proc/self")) return undefined;
  const found = readdirSync("/proc").find((pid) => {
    if (!/^\d+$/u.test(pid)) return false;
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, 5).includes(dir) &&
        holders.state(holders.ofProcess(Number(pid))) !== "dead"
      );
    } catch {
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}

function recordedState(dir: string): RecordedState {
  const exit = textOf(path.join(dir, "exit"));
  // A file that lost its content with the power says nothing about how the command ended.
  if (exit !== undefined) return /^\d+\n$/u.test(exit) ? { kind: "ended", exitCode: Number(exit) } : { kind: "cut_off" };
  if (existsSync(path.join(dir, NEVER))) return { kind: "not_started" };
  const started = textOf(path.join(dir, "started"));
  if (started === undefined && existsSync(path.join(dir, READY)) && !existsSync(path.join(dir, SPAWNING))) return { kind: "not_started" };
  const pid = started === undefined || started === "" ? startingShell(dir) : livingShell(started);
  if (pid !== undefined) return { kind: "running", pid };
  // It may have ended, or come to write its mark, between the looks.
  const moved = existsSync(path.join(dir, "exit")) || existsSync(path.join(dir, NEVER)) || textOf(path.join(dir, "started")) !== started;
  return moved ? recordedState(dir) : { kind: "cut_off" };
}

/** Waits for a command another process started; ends it when it takes longer than any command may. */
export async function awaitRecorded(
  dir: string,
  options: { clock: Clock; maxMs: number; signal: AbortSignal | undefined },
): Promise<Exclude<RecordedState, { kind: "running" }>> {
  const { clock } = options;
  const start = clock.monotonic();
  for (;;) {
    const state = recordedState(dir);
    if (state.kind !== "running") return state;
    if (clock.monotonic() - start > options.maxMs) {
      end(state.pid);
      return { kind: "cut_off" };
    }
    await clock.sleep(POLL_MS, options.signal);
  }
}

/** With everything it started: a recorded command leads a group of its own. */
function end(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

/** What runs now of what was recorded in a folder. */
export function runningRecords(records: string): number[] {
  if (!existsSync(records)) return [];
  return readdirSync(records).flatMap((name) => {
    const state = recordedState(path.join(records, name));
    return state.kind === "running" ? [state.pid] : [];
  });
}

/** Ends what still runs, and removes its record, for every record of a folder but `keep`. */
export function tidyRecords(records: string, keep?: string): void {
  if (!existsSync(records)) return;
  for (const name of readdirSync(records)) {
    if (name === keep) continue;
    const state = recordedState(path.join(records, name));
    if (state.kind === "running") end(state.pid);
    rmSync(path.join(records, name), { recursive: true, force: true });
  }
  if (keep === undefined) rmSync(records, { recursive: true, force: true });
}
