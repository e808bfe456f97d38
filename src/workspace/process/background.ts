/**
 * Long-lived commands (development servers, watchers): started once, watched for health, their log
 * readable from the end, stopped with the whole tree. All of them end with the workspace.
 */
import { connect } from "node:net";
import { redactLines } from "../../guard/index.ts";
import { newId, type Clock } from "../../kernel/index.ts";
import type { CommandLine, Refused } from "../gate.ts";
import { toCommandLine } from "./command-line.ts";
import { notStarted, prepareCommand, type NotStarted } from "./prepare-command.ts";
import { workingFolder, type RunContext } from "./run-process.ts";
import { spawnGroup, type ExitStatus, type KillResult, type ProcessGroup } from "./spawn-group.ts";

export interface BackgroundRequest {
  command: string | readonly string[];
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  /** Healthy once a line of output matches, or a port of this machine accepts a connection. */
  readyWhen?: { line: string } | { port: number } | undefined;
  readyTimeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type Health = "starting" | "healthy" | "unhealthy" | "exited";

export interface BackgroundState {
  id: string;
  pid: number;
  command: CommandLine;
  cwd: string;
  health: Health;
  startedAt: number;
  exit: ExitStatus | undefined;
  totalLines: number;
}

export type StartOutcome =
  | { kind: "started"; state: BackgroundState }
  /** It was started but did not become ready; its log says why. It has been stopped when it had not ended itself. */
  | { kind: "not_ready"; reason: "exited" | "timed_out" | "cancelled"; state: BackgroundState; log: string[] }
  | { kind: "too_many"; running: number }
  | NotStarted
  | Refused;

export interface Background {
  start(request: BackgroundRequest): Promise<StartOutcome>;
  list(): BackgroundState[];
  /** The last lines of output, newest last; undefined for an unknown id. */
  tail(id: string, lines?: number): string[] | undefined;
  stop(id: string): Promise<KillResult | undefined>;
  /** Asks again whether a process with a port answers. */
  check(id: string): Promise<Health | undefined>;
  stopAll(): Promise<void>;
}

interface Entry {
  state: BackgroundState;
  group: ProcessGroup;
  log: string[];
  ready: Promise<void>;
  port: number | undefined;
}

const MAX_BACKGROUND = 16;
const MAX_LOG_LINES = 2_000;
const DEFAULT_TAIL = 50;
const DEFAULT_READY_MS = 30_000;
const POLL_MS = 50;

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: 1_000 });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}

function tailOf(log: readonly string[], lines: number): { from: number; to: number } {
  return { from: log.length - lines + 1, to: log.length };
}

/** Lines of both streams in order of arrival, bounded. */
function logTo(
  log: string[],
  state: () => BackgroundState | undefined,
  onLine: (line: string) => void,
): (stream: string, chunk: Buffer) => void {
  const rest: Record<string, string> = {};
  return (stream, chunk) => {
    const lines = ((rest[stream] ?? "") + chunk.toString("utf8")).split(/\r?\n/u);
    rest[stream] = (lines.pop() ?? "").slice(-MAX_LOG_LINES * 10);
    for (const line of lines) {
      log.push(line);
      if (log.length > MAX_LOG_LINES) log.shift();
      const known = state();
      if (known !== undefined) known.totalLines += 1;
      onLine(line);
    }
  };
}

type Readiness = "ready" | "exited" | "timed_out" | "cancelled";

async function waitUntilReady(entry: Entry, request: BackgroundRequest, clock: Clock): Promise<Readiness> {
  const deadline = clock.monotonic() + (request.readyTimeoutMs ?? DEFAULT_READY_MS);
  let said = false;
  void entry.ready.then(() => (said = true));
  for (;;) {
    if (entry.state.exit !== undefined) return "exited";
    if (request.signal?.aborted === true) return "cancelled";
    if (said || request.readyWhen === undefined || (entry.port !== undefined && (await accepts(entry.port)))) return "ready";
    if (clock.monotonic() >= deadline) return "timed_out";
    await clock.sleep(POLL_MS);
  }
}

export function createBackground(context: RunContext): Background {
  const entries = new Map<string, Entry>();
  const running = (): Entry[] => [...entries.values()].filter((entry) => entry.state.exit === undefined);

  const stop = async (entry: Entry): Promise<KillResult | undefined> => {
    const killed = entry.state.exit === undefined ? await entry.group.stop(context.limits) : undefined;
    await entry.group.settle(context.limits);
    return killed;
  };

  const launch = async (
    request: BackgroundRequest,
    command: CommandLine,
    cwd: string,
    onlySandboxed: boolean | undefined,
  ): Promise<Entry | NotStarted> => {
    const serves = request.readyWhen !== undefined && "port" in request.readyWhen;
    const prepared = await prepareCommand(command, cwd, { env: request.env, serves, onlySandboxed, signal: request.signal }, context);
    if (prepared.kind === "not_started") return prepared;
    const [file, ...args] = prepared.argv;
    const log: string[] = [];
    const live: { state?: BackgroundState } = {};
    const ready = Promise.withResolvers<void>();
    const pattern = request.readyWhen !== undefined && "line" in request.readyWhen ? new RegExp(request.readyWhen.line, "u") : undefined;
    const spawned = await spawnGroup({
      file,
      args,
      cwd,
      env: prepared.env,
      clock: context.clock,
      onData: logTo(
        log,
        () => live.state,
        (line) => (pattern?.test(line) === true ? ready.resolve() : undefined),
      ),
    });
    if (spawned.kind === "failed") {
      await prepared.release();
      return notStarted(spawned.error, command);
    }
    const { group } = spawned;
    const ended = context.registry.add(group.pid, group.mark);
    const made: BackgroundState = {
      id: newId("bg", context.clock.now()),
      pid: group.pid,
      command,
      cwd,
      health: "starting",
      startedAt: context.clock.now(),
      exit: undefined,
      totalLines: log.length,
    };
    live.state = made;
    const entry: Entry = {
      state: made,
      group,
      log,
      ready: ready.promise,
      port: request.readyWhen !== undefined && "port" in request.readyWhen ? request.readyWhen.port : undefined,
    };
    entries.set(made.id, entry);
    void group.exited.then(async (exit) => {
      made.exit = exit;
      made.health = "exited";
      await group.settle(context.limits);
      ended();
      const putRight = await prepared.release();
      if (putRight !== undefined) log.push(putRight);
    });
    return entry;
  };

  const snapshot = (entry: Entry): BackgroundState => ({ ...entry.state });

  return {
    async start(request) {
      const command = toCommandLine(request.command);
      if (command === undefined) return { kind: "not_started", reason: "empty_command", message: "the command is empty", fix: undefined };
      const folder = await workingFolder(request.cwd, context.boundary);
      if (folder.kind === "not_started") return folder;
      const decision = await context.gate.decide(
        { kind: "run", command, cwd: folder.absolute, background: true, network: [] },
        request.signal,
      );
      if (decision.kind === "deny") return { kind: "refused", reason: decision.reason, rule: decision.rule };
      if (running().length >= MAX_BACKGROUND) return { kind: "too_many", running: running().length };
      await context.registry.reap();
      const entry = await launch(request, command, folder.absolute, decision.onlySandboxed);
      if ("kind" in entry) return entry;
      const readiness = await waitUntilReady(entry, request, context.clock);
      if (readiness === "ready") {
        entry.state.health = "healthy";
        return { kind: "started", state: snapshot(entry) };
      }
      await stop(entry);
      return {
        kind: "not_ready",
        reason: readiness,
        state: snapshot(entry),
        log: redactLines(entry.log, tailOf(entry.log, DEFAULT_TAIL), context.redact),
      };
    },
    list: () => [...entries.values()].map(snapshot),
    tail(id, lines = DEFAULT_TAIL) {
      const log = entries.get(id)?.log;
      return log === undefined ? undefined : redactLines(log, tailOf(log, lines), context.redact);
    },
    async stop(id) {
      const entry = entries.get(id);
      return entry === undefined ? undefined : stop(entry);
    },
    async check(id) {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      if (entry.state.exit === undefined && entry.port !== undefined)
        entry.state.health = (await accepts(entry.port)) ? "healthy" : "unhealthy";
      return entry.state.health;
    },
    async stopAll() {
      await Promise.all(running().map(stop));
    },
  };
}
