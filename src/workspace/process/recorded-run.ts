/**
 * A command whose end is known even when the process that started it is not there to see it: its
 * output goes to files and its exit status is written, last and whole, by a small shell around it.
 * After a crash the folder tells whether it never began, still runs, ended, or was cut off.
 */
import { existsSync, mkdirSync, openSync, readFileSync, readSync, closeSync, statSync } from "node:fs";
import path from "node:path";
import { systemCode, type Clock } from "../../kernel/index.ts";
import type { Stream } from "./shape-output.ts";

const WRAPPER =
  'd=$1; shift; echo $$ > "$d/started"; "$@" > "$d/stdout" 2> "$d/stderr"; c=$?; echo $c > "$d/exit.tmp"; mv "$d/exit.tmp" "$d/exit"; exit $c';
const POLL_MS = 20;
const TAIL_BYTES = 256 * 1024;

/** The command line that records itself in `dir`. */
export function recordedArgv(dir: string, argv: readonly string[]): [string, ...string[]] {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return ["sh", "-c", WRAPPER, "sh", dir, ...argv];
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

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function recordedState(dir: string): RecordedState {
  const exit = textOf(path.join(dir, "exit"));
  if (exit !== undefined) return { kind: "ended", exitCode: Number(exit.trim()) };
  const started = textOf(path.join(dir, "started"));
  if (started === undefined) return { kind: "not_started" };
  const pid = Number(started.trim());
  if (pid > 0 && alive(pid)) return { kind: "running", pid };
  // It may have ended between the two looks.
  return existsSync(path.join(dir, "exit")) ? recordedState(dir) : { kind: "cut_off" };
}

/** Waits for a command another process started. */
export async function awaitRecorded(
  dir: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Exclude<RecordedState, { kind: "running" }>> {
  for (;;) {
    const state = recordedState(dir);
    if (state.kind !== "running") return state;
    await clock.sleep(POLL_MS, signal);
  }
}
