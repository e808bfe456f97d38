/**
 * Starts a command as the leader of its own process group and can end the whole tree:
 * SIGINT, then SIGTERM, then SIGKILL (TOO-013…017). After the leader ends, whatever it left behind
 * is killed too; nothing of an invocation outlives it.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { Writable } from "node:stream";
import { newId, type Clock } from "../../kernel/index.ts";
import { MARK_VARIABLE, groupAlive, signalTree, treeOf } from "./process-tree.ts";
import type { Stream } from "./shape-output.ts";

export interface SpawnRequest {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  stdin?: string | undefined;
  /** Its input stays open: it is spoken to as long as it lives. */
  talks?: boolean | undefined;
  clock: Clock;
  /**
   * Done before the command may begin: it waits for a line on its fourth stream, which is closed without one when
   * this process is gone.
   */
  beforeGo?: (() => void) | undefined;
  onData(stream: Stream, chunk: Buffer): void;
}

export interface KillResult {
  sentSIGINT: boolean;
  sentSIGTERM: boolean;
  sentSIGKILL: boolean;
  exitedAfter: "SIGINT" | "SIGTERM" | "SIGKILL";
}

export interface KillGraces {
  sigintGraceMs: number;
  sigtermGraceMs: number;
}

export interface SettleLimits {
  cleanupTimeoutMs: number;
  pipeGraceMs: number;
}

export interface ExitStatus {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ProcessGroup {
  readonly pid: number;
  readonly mark: string;
  /** Of a command that is spoken to. */
  readonly input: Writable | undefined;
  /** The leader has ended; its output may not be complete yet. */
  readonly exited: Promise<ExitStatus>;
  stop(graces: KillGraces, onStep?: (signal: NodeJS.Signals) => void): Promise<KillResult>;
  /** Kills what is left of the tree, waits until it is gone and the pipes are closed; both are bounded. */
  settle(limits: SettleLimits): Promise<void>;
}

export type SpawnOutcome = { kind: "started"; group: ProcessGroup } | { kind: "failed"; error: NodeJS.ErrnoException };

const SETTLE_POLL_MS = 5;

/** A killed process may stay as a zombie until its new parent looks; only /proc can tell the two apart. */
async function strays(pid: number, mark: string): Promise<boolean> {
  return process.platform === "linux" ? (await treeOf(pid, mark)).length > 0 : groupAlive(pid);
}

async function within(clock: Clock, ms: number, event: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = clock.sleep(ms, done.signal).then(
    () => false,
    () => true,
  );
  const result = await Promise.race([event.then(() => true), late]);
  done.abort();
  await late;
  return result;
}

function watch(child: ChildProcess, request: SpawnRequest, mark: string): ProcessGroup {
  const { clock } = request;
  const pid = child.pid as number;
  const exited = new Promise<ExitStatus>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.stdout?.on("data", (chunk: Buffer) => request.onData("stdout", chunk));
  child.stderr?.on("data", (chunk: Buffer) => request.onData("stderr", chunk));
  // The command may end without reading; that is its own choice.
  child.stdin?.on("error", () => undefined);
  if (request.stdin !== undefined) child.stdin?.end(request.stdin);
  const settle = async (limits: SettleLimits): Promise<void> => {
    const deadline = clock.monotonic() + limits.cleanupTimeoutMs;
    while (await strays(pid, mark)) {
      await signalTree(pid, mark, "SIGKILL");
      if (clock.monotonic() > deadline) break;
      await clock.sleep(SETTLE_POLL_MS);
    }
    if (await within(clock, limits.pipeGraceMs, closed)) return;
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  return {
    pid,
    mark,
    input: request.talks === true ? (child.stdin ?? undefined) : undefined,
    exited,
    settle,
    async stop(graces, onStep) {
      const result: KillResult = { sentSIGINT: false, sentSIGTERM: false, sentSIGKILL: false, exitedAfter: "SIGKILL" };
      const steps = [
        { signal: "SIGINT", graceMs: graces.sigintGraceMs, sent: "sentSIGINT" },
        { signal: "SIGTERM", graceMs: graces.sigtermGraceMs, sent: "sentSIGTERM" },
      ] as const;
      for (const step of steps) {
        onStep?.(step.signal);
        result[step.sent] = await signalTree(pid, mark, step.signal);
        if (await within(clock, step.graceMs, exited)) {
          result.exitedAfter = step.signal;
          return result;
        }
      }
      onStep?.("SIGKILL");
      result.sentSIGKILL = await signalTree(pid, mark, "SIGKILL");
      await exited;
      return result;
    },
  };
}

export async function spawnGroup(request: SpawnRequest): Promise<SpawnOutcome> {
  const mark = newId("inv", request.clock.now());
  let child: ChildProcess;
  try {
    child = spawn(request.file, request.args, {
      cwd: request.cwd,
      env: { ...request.env, [MARK_VARIABLE]: mark },
      detached: true,
      stdio: [
        request.stdin === undefined && request.talks !== true ? "ignore" : "pipe",
        "pipe",
        "pipe",
        ...(request.beforeGo === undefined ? [] : ["pipe" as const]),
      ],
      windowsHide: true,
    });
  } catch (error) {
    // Arguments the system cannot take (E2BIG, a NUL byte) are thrown, not emitted.
    return { kind: "failed", error: error as NodeJS.ErrnoException };
  }
  if (child.pid === undefined) {
    return new Promise((resolve) => child.once("error", (error) => resolve({ kind: "failed", error })));
  }
  child.on("error", () => undefined);
  const group = watch(child, request, mark);
  if (request.beforeGo !== undefined) {
    const word = child.stdio[3];
    // It may have been ended meanwhile.
    word?.on("error", () => undefined);
    try {
      request.beforeGo();
    } catch (error) {
      word?.destroy();
      throw error;
    }
    if (word instanceof Writable) word.end("go\n");
  }
  return { kind: "started", group };
}
