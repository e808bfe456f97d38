/** What decides over the system calls of lives, and whose call it is. */
import { AsyncLocalStorage } from "node:async_hooks";
import type childProcess from "node:child_process";
import fs from "node:fs";
import type { Random } from "../../fuzz/random.ts";
import type { Life } from "../timeline.ts";

/** Numbers above it are of nobody real. */
export const FIRST_PID = 5_000_000;

export interface Change {
  call: string;
  /** Where it really happens, whatever way it was named. */
  file: string;
  /** What a rename takes away. */
  from?: string | undefined;
  /** A full disk has no room for it. */
  grows: boolean;
}

/** What decides over the calls of lives. */
export interface SystemFate {
  /** In its own time; what the dead asked for never happens. */
  change<T>(life: Life, change: Change, work: () => T): Promise<T>;
  /** At once; throws for the dead. */
  changeNow<T>(life: Life, change: Change, work: () => T): T;
  /** A file of /proc, for processes of the simulation. Undefined: there is none such. */
  proc(pid: number, name: string): string | undefined;
  pids(): number[];
  signal(pid: number, signal: NodeJS.Signals | number): boolean;
  spawn(life: Life, file: string, args: readonly string[], options: childProcess.SpawnOptions): childProcess.ChildProcess;
  fetch(life: Life, body: string, signal: AbortSignal | undefined): Promise<Response>;
  random: Random;
  /** What whoever does not look again takes a file for; undefined: for what it holds. */
  remembered(file: string): Buffer | undefined;
}

export const living = new AsyncLocalStorage<Life>();

/** The system's own, for whoever is not simulated. */
export const real = { ...fs };
