/**
 * Runs one command to its end (TOO-003): permission, slot, start, wait with the adaptive timeout,
 * clean up. A non-zero exit is a result; so are a timeout and a cancellation, with what was said
 * until then.
 */
import path from "node:path";
import { newId, repeatEvery, type Clock } from "../../kernel/index.ts";
import type { CommandLine, PermissionGate, Redact, Refused } from "../gate.ts";
import type { PathBoundary } from "../files/path-boundary.ts";
import { isFolder } from "../files/path-boundary.ts";
import type { WorkspaceLimits } from "../limits.ts";
import { createAdaptiveTimeout, type AdaptiveTimeout } from "./adaptive-timeout.ts";
import { createOutputCapture } from "./capture-output.ts";
import { baseTimeoutMs, toCommandLine } from "./command-line.ts";
import { notStarted, prepareCommand, type NotStarted, type PrepareContext, type PrepareRequest } from "./prepare-command.ts";
import type { SandboxLayer } from "../isolation.ts";
import type { LiveRegistry } from "./live-registry.ts";
import type { ShapedOutput, Stream } from "./shape-output.ts";
import type { ProcessSlots } from "./slots.ts";
import { awaitRecorded, markSpawning, OutputTail, recordedArgv } from "./recorded-run.ts";
import { spawnGroup, type ExitStatus, type KillResult, type ProcessGroup } from "./spawn-group.ts";

export interface RunRequest {
  /** A list is an executable with its arguments; a string is split when it needs no shell. */
  command: string | readonly string[];
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  /** Keys of the user's for this one command; the gate is told their names, and they skip the block list. */
  grantedEnv?: Readonly<Record<string, string>> | undefined;
  stdin?: string | undefined;
  /** `off` when absent: what is read has none to be taken out. */
  colours?: PrepareRequest["colours"];
  errors?: PrepareRequest["errors"];
  /** Time without meaningful output after which the command is ended. */
  timeoutMs?: number | undefined;
  maxTimeoutMs?: number | undefined;
  /** A check of the project's: it may be silent for as long as `checkTimeoutMs`. */
  isCheck?: boolean | undefined;
  signal?: AbortSignal | undefined;
  onOutput?: ((piece: { stream: Stream; text: string }) => void) | undefined;
  onStopping?: ((signal: NodeJS.Signals) => void) | undefined;
  /** Hosts the command must reach, beyond what the sandbox's policy gives it. */
  network?: readonly string[] | undefined;
  /** It needs neither to write nor to reach anybody: the sandbox gives it neither. */
  looksOnly?: boolean | undefined;
  /** Folder in which the command records its output and end, so that `recover` can tell after a crash. */
  record?: string | undefined;
  /** Done when it is allowed and about to start. */
  beforeStart?: (() => Promise<void>) | undefined;
}

export interface RunResult {
  command: CommandLine;
  cwd: string;
  exitCode: number | null;
  signal: string | null;
  durationMs: number;
  output: ShapedOutput;
  stdout: string;
  stderr: string;
  /** Something of the output is missing: it was cut off, or larger than what is kept. */
  partial: boolean;
  kill: KillResult | undefined;
  sandbox: SandboxLayer | "none";
  /** What the sandbox could not give it, such as the network, and what was put right after it. */
  notice: string | undefined;
}

export type RunOutcome =
  | ({ kind: "exited" } & RunResult)
  | ({ kind: "timed_out"; after: "idle" | "max" } & RunResult)
  | ({ kind: "cancelled" } & RunResult)
  | NotStarted
  | Refused;

export interface RunContext extends PrepareContext {
  boundary: PathBoundary;
  gate: PermissionGate;
  redact: Redact;
  clock: Clock;
  limits: WorkspaceLimits;
  slots: ProcessSlots;
  registry: LiveRegistry;
  live?: CommandListener | undefined;
}

/** Whoever looks on while commands run. What it is told has its secrets taken out. */
export interface CommandListener {
  /** False: nobody would see it. */
  heard(): boolean;
  tell(part: CommandNews): void;
}

type CommandNews =
  | { type: "command"; state: "starting" | "running" | "stopping" | "ended"; command: string; is_check?: true; exit_code?: number }
  | { type: "output"; stream: Stream; text: string };

const KEPT_STREAM_BYTES = 8 * 1024 * 1024;
const MAX_CHECK_MS = 1_000;
const TAIL_POLL_MS = 100;

/** Where a command may start: an existing folder inside the workspace (TOO-009). */
export async function workingFolder(
  cwd: string | undefined,
  boundary: PathBoundary,
): Promise<{ kind: "folder"; absolute: string } | NotStarted> {
  const found = await boundary.resolve(cwd ?? ".");
  const bad = (message: string): NotStarted => ({
    kind: "not_started",
    reason: "bad_folder",
    message: `invalid working directory ${cwd ?? "."}: ${message}`,
    fix: undefined,
  });
  if (found.kind === "outside") return bad(found.reason);
  return isFolder(found.absolute) ? { kind: "folder", absolute: found.absolute } : bad("is not an existing folder");
}

type Ending = { kind: "exited" } | { kind: "cancelled" } | { kind: "timed_out"; after: "idle" | "max" };

async function waitForEnd(group: ProcessGroup, timeout: AdaptiveTimeout, clock: Clock, signal: AbortSignal | undefined): Promise<Ending> {
  const done = new AbortController();
  const wake = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
  const exited = group.exited.then(() => done.abort());
  for (;;) {
    const verdict = timeout.verdict();
    if (verdict !== undefined) return { kind: "timed_out", after: verdict };
    await clock.sleep(Math.min(MAX_CHECK_MS, timeout.nextCheckMs()), wake).catch(() => undefined);
    if (done.signal.aborted) {
      await exited;
      return { kind: "exited" };
    }
    if (signal?.aborted === true) return { kind: "cancelled" };
  }
}

export async function runProcess(request: RunRequest, context: RunContext): Promise<RunOutcome> {
  const { clock, limits } = context;
  const command = toCommandLine(request.command);
  if (command === undefined) return { kind: "not_started", reason: "empty_command", message: "the command is empty", fix: undefined };
  const folder = await workingFolder(request.cwd, context.boundary);
  if (folder.kind === "not_started") return folder;
  const cwd = folder.absolute;
  const decision = await context.gate.decide(
    { kind: "run", command, cwd, background: false, network: request.network ?? [], keys: Object.keys(request.grantedEnv ?? {}) },
    request.signal,
  );
  if (decision.kind === "deny") return { kind: "refused", reason: decision.reason, rule: decision.rule };
  await context.registry.reap();
  const giveBack = await context.slots.take(request.signal);
  try {
    const silence = request.isCheck === true ? limits.checkTimeoutMs : 0;
    const timeout = createAdaptiveTimeout(
      {
        baseMs: request.timeoutMs ?? Math.max(silence, baseTimeoutMs(command, limits.toolTimeoutsMs, limits.defaultTimeoutMs)),
        extendOnOutputMs: Math.max(silence, limits.extendOnOutputMs),
        maxMs: request.maxTimeoutMs ?? limits.maxTimeoutMs,
      },
      clock,
    );
    const capture = createOutputCapture({
      rules: limits,
      redact: context.redact,
      spillFile: path.join(context.tempDir, "output", `${newId("out", clock.now())}.log`),
      maxSpillBytes: limits.maxSpillBytes,
      maxStreamBytes: KEPT_STREAM_BYTES,
      onLine: (line) => timeout.heard(line),
      onOutput: (piece) => {
        request.onOutput?.(piece);
        context.live?.tell({ type: "output", ...piece });
      },
      heard: () => request.onOutput !== undefined || context.live?.heard() === true,
    });
    const shown = context.redact(typeof request.command === "string" ? request.command : request.command.join(" "));
    const check = request.isCheck === true ? { is_check: true as const } : {};
    const tell = (state: "starting" | "running" | "stopping" | "ended", end: { exit_code?: number } = {}): void =>
      context.live?.tell({ type: "command", state, command: shown, ...check, ...end });
    tell("starting");
    await request.beforeStart?.();
    const started = clock.monotonic();
    const prepared = await prepareCommand(command, cwd, { ...request, onlySandboxed: decision.onlySandboxed }, context);
    if (prepared.kind === "not_started") return prepared;
    let released: Promise<string | undefined> | undefined;
    const release = (): Promise<string | undefined> => (released ??= prepared.release());
    await using _ = {
      async [Symbol.asyncDispose]() {
        await release();
      },
    };
    const { record } = request;
    const [spawnFile, ...spawnArgs] = record === undefined ? prepared.argv : recordedArgv(record, prepared.argv);
    const tail = record === undefined ? undefined : new OutputTail(record);
    const spawned = await spawnGroup({
      file: spawnFile,
      args: spawnArgs,
      cwd,
      env: prepared.env,
      stdin: request.stdin,
      clock,
      beforeGo: record === undefined ? undefined : () => markSpawning(record),
      onData: (stream, chunk) => capture.write(stream, chunk),
    });
    if (spawned.kind === "failed") return notStarted(spawned.error, command);
    const { group } = spawned;
    tell("running");
    // A recorded command may outlive this process: whoever comes next waits for it instead of ending it.
    const ended = request.record === undefined ? context.registry.add(group.pid, group.mark) : (): void => undefined;
    const watching =
      tail === undefined ? undefined : repeatEvery(TAIL_POLL_MS, () => tail.read((stream, chunk) => capture.write(stream, chunk)));
    const ending = await waitForEnd(group, timeout, clock, request.signal);
    watching?.[Symbol.dispose]();
    const kill =
      ending.kind === "exited"
        ? undefined
        : await group.stop(limits, (signal) => {
            tell("stopping");
            request.onStopping?.(signal);
          });
    const status: ExitStatus = await group.exited;
    await group.settle(limits);
    ended();
    tail?.read((stream, chunk) => capture.write(stream, chunk));
    const captured = capture.finish();
    tell("ended", ending.kind === "exited" && status.code !== null ? { exit_code: status.code } : {});
    const durationMs = clock.monotonic() - started;
    const putRight = await release();
    const result: RunResult = {
      command,
      cwd,
      exitCode: status.code,
      signal: status.signal,
      durationMs,
      output: captured.shaped,
      stdout: captured.stdout,
      stderr: captured.stderr,
      partial: ending.kind !== "exited" || !captured.complete,
      kill,
      sandbox: prepared.sandbox,
      notice: [prepared.notice, putRight].filter((text) => text !== undefined).join("; ") || undefined,
    };
    return { ...ending, ...result };
  } finally {
    giveBack();
  }
}

/** What became of a recorded command that another process started. */
export type RecoverOutcome =
  | { kind: "not_started" }
  | { kind: "ended"; exitCode: number; output: ShapedOutput; stdout: string; stderr: string }
  | { kind: "cut_off"; output: ShapedOutput };

export async function recoverProcess(record: string, context: RunContext, signal?: AbortSignal): Promise<RecoverOutcome> {
  const state = await awaitRecorded(record, { clock: context.clock, maxMs: context.limits.maxTimeoutMs, signal });
  if (state.kind === "not_started") return state;
  const capture = createOutputCapture({
    rules: context.limits,
    redact: context.redact,
    spillFile: path.join(context.tempDir, "output", `${newId("out", context.clock.now())}.log`),
    maxSpillBytes: context.limits.maxSpillBytes,
    maxStreamBytes: KEPT_STREAM_BYTES,
  });
  new OutputTail(record).read((stream, chunk) => capture.write(stream, chunk));
  const { shaped, stdout, stderr } = capture.finish();
  return state.kind === "ended"
    ? { kind: "ended", exitCode: state.exitCode, output: shaped, stdout, stderr }
    : { kind: "cut_off", output: shaped };
}
