/**
 * One workspace: a root folder (the user's project or a private work tree) and the only hands that
 * touch it. Everything it needs from outside is passed in.
 */
import { mkdirSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { SylkError, canonicalJson, newId, sha256, type Clock, systemPaths } from "../kernel/index.ts";
import type { Blobs } from "../journal/index.ts";
import { agentGitEnvironment } from "./agent-git.ts";
import { createFiles, type Files, type FormatText } from "./files/files.ts";
import { createPathBoundary } from "./files/path-boundary.ts";
import { dependencySources } from "./git/link-dependencies.ts";
import { createMerging, type Merging } from "./git/merge-work.ts";
import type { CommandLine, PermissionGate, Redact, WorkspaceAction } from "./gate.ts";
import { findProgram } from "./find-program.ts";
import { defaultLimits, limitsFrom, type LimitSettings, type WorkspaceLimits } from "./limits.ts";
import { createBackground, type Background } from "./process/background.ts";
import { toCommandLine } from "./process/command-line.ts";
import { cleanEnvironment } from "./process/environment.ts";
import { createLiveRegistry } from "./process/live-registry.ts";
import { createOutputCache, type CachedRunOutcome, type CachedRunRequest } from "./process/output-cache.ts";
import { markSpawning, readyRecord, runningRecords, tidyRecords } from "./process/recorded-run.ts";
import {
  recoverProcess,
  runProcess,
  type RecoverOutcome,
  type RunContext,
  type RunOutcome,
  type RunRequest,
} from "./process/run-process.ts";
import { createProcessSlots, type ProcessSlots } from "./process/slots.ts";
import type { Sandbox } from "./isolation.ts";
import { createTalks, type Talks } from "./process/talk.ts";
import { createWeb, type Web } from "./web.ts";
import { grep, type GrepOutcome, type GrepRequest } from "./search/grep.ts";
import { listFiles, type ListOutcome, type ListRequest } from "./search/list-files.ts";

export interface WorkspaceOptions {
  root: string;
  gate: PermissionGate;
  redact: Redact;
  clock: Clock;
  /** Further folders that may be read and written. */
  extraRoots?: readonly string[] | undefined;
  /** Folders that may only be read; those a work tree's dependencies are linked to are found by themselves. */
  readOnlyRoots?: readonly string[] | undefined;
  followSymlinks?: boolean | undefined;
  /** Where spill files go; the system's temp folder when absent. */
  tempDir?: string | undefined;
  limits?: Partial<WorkspaceLimits> | undefined;
  /** As the user set them; `limits` come before. */
  settings?: LimitSettings | undefined;
  /** Content before each change is kept here. */
  blobs?: Blobs | undefined;
  /** The project's own form for what is written. */
  format?: FormatText | undefined;
  /** The environment commands inherit from, before it is cleaned. */
  parentEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** Names of further variables commands get from it. */
  passedEnv?: readonly string[] | undefined;
  /** Shared between workspaces to bound all processes together. */
  slots?: ProcessSlots | undefined;
  /** Told what commands do and say, as it happens; must not wait. */
  live?: RunContext["live"];
  /** How commands are isolated; absent: they run directly. */
  sandbox?: Sandbox | undefined;
}

export interface Search {
  grep(request: GrepRequest): Promise<GrepOutcome>;
  list(request: ListRequest): Promise<ListOutcome>;
}

export interface Processes {
  run(request: RunRequest): Promise<RunOutcome>;
  /** What became of a command that was started with `record` by a process that is gone. */
  recover(record: string, signal?: AbortSignal): Promise<RecoverOutcome>;
  /** Makes room for the record of a command that is about to be intended. Without it, recovery cannot say that it never began. */
  ready(record: string): void;
  /** Whatever is recorded there may have begun from here on; for what is no command. */
  begin(record: string): void;
  /** Removes the record of a command: it is known elsewhere, or was never begun. */
  forget(record: string): void;
  /** Ends and removes every record in a folder but one: nobody will ask for them any more. */
  tidy(records: string, keep?: string): void;
  /** The processes of those that run now, whoever started them. */
  running(records: string): number[];
  /** Under what a command would run here beside the files, as one name: environment, sandbox, hosts it may reach. */
  conditions(command: string): Promise<string>;
  /** Where a program stands for the user, by its own name and by what that names in the end; undefined: nowhere. */
  outside(program: string): { file: string; real: string } | undefined;
  /** As `run`, for commands that only look: the last result while their inputs are unchanged. */
  runCached(request: CachedRunRequest): Promise<CachedRunOutcome>;
  readonly background: Background;
  /** Programs that are spoken to as long as they live. */
  readonly talks: Pick<Talks, "start">;
}

/** Disposing it stops what runs in the background and removes its temp files. */
export interface Workspace extends AsyncDisposable {
  /** The real path of the root. */
  readonly root: string;
  readonly files: Files;
  readonly search: Search;
  readonly processes: Processes;
  /** Brings finished work from its own tree into this one. */
  readonly merging: Merging;
  readonly web: Web;
  /** Whether a tool of an MCP server may be called; whoever calls it asks here first. */
  mayCall(call: Omit<Extract<WorkspaceAction, { kind: "call" }>, "kind">, signal: AbortSignal): ReturnType<PermissionGate["decide"]>;
}

/** As checks are run. */
const AS_CHECK = { colours: "as the user has them", errors: "all" } as const;
/** These tell trees apart and nothing else. */
const OF_TREE: ReadonlySet<string> = new Set(["SYLK_WORKTREE", "SYLK_PORT_BASE", "PORT"]);
const KEEP_TEMP_MS = 7 * 24 * 60 * 60_000;

/** Spill files of workspaces that nobody closed, a week after their last use. */
function sweepTemp(folder: string, nowMs: number): void {
  for (const name of readdirSync(folder)) {
    const found = statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (name.startsWith("ws_") && found !== undefined && nowMs - found.mtimeMs > KEEP_TEMP_MS)
      rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

export function openWorkspace(options: WorkspaceOptions): Workspace {
  if (statSync(options.root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SylkError({
      code: "WORKSPACE_NO_ROOT",
      tier: "user_fixable",
      message: `${options.root} is not an existing folder`,
      fix: "start in a project folder, or name one with -C",
    });
  }
  const limits: WorkspaceLimits = {
    ...defaultLimits,
    ...(options.settings === undefined ? {} : limitsFrom(options.settings)),
    ...options.limits,
  };
  const tempDir = options.tempDir ?? path.join(systemPaths.temp("work"), newId("ws", options.clock.now()));
  mkdirSync(path.dirname(tempDir), { recursive: true, mode: 0o700 });
  if (options.tempDir === undefined) sweepTemp(path.dirname(tempDir), options.clock.now());
  const boundary = createPathBoundary({
    root: options.root,
    extraRoots: [...(options.extraRoots ?? []), tempDir],
    readOnlyRoots: [...(options.readOnlyRoots ?? []), ...dependencySources(options.root)],
    followSymlinks: options.followSymlinks,
  });
  const shared = { boundary, gate: options.gate, redact: options.redact, clock: options.clock, limits };
  const slots = options.slots ?? createProcessSlots(limits.maxProcesses);
  const registry = createLiveRegistry(path.join(systemPaths.temp("work"), "live"));
  const runContext = {
    ...shared,
    slots,
    tempDir,
    registry,
    parentEnv: options.parentEnv ?? process.env,
    passedEnv: options.passedEnv,
    sandbox: options.sandbox,
    gitEnvironment: (command: CommandLine, cwd: string) => agentGitEnvironment(boundary.root, command, cwd, options.clock),
    live: options.live,
  };
  const background = createBackground(runContext);
  const talks = createTalks(runContext);
  const run = (request: RunRequest): Promise<RunOutcome> => runProcess(request, runContext);
  const cache = createOutputCache({
    root: boundary.root,
    clock: options.clock,
    run,
    list: (globs) => listFiles({ globs, maxFiles: limits.maxListed * 20 }, shared),
  });
  const { files, writePlanned } = createFiles({ ...shared, blobs: options.blobs, format: options.format });
  return {
    root: boundary.root,
    files,
    merging: createMerging({ ...shared, writePlanned }),
    web: createWeb(options.gate),
    mayCall: (call, signal) => options.gate.decide({ kind: "call", ...call }, signal),
    search: {
      grep: (request) => grep(request, shared),
      list: (request) => listFiles(request, shared),
    },
    processes: {
      run,
      conditions: async (line) => {
        const { sandbox } = options;
        const command = toCommandLine(line);
        const env = Object.entries(cleanEnvironment(runContext.parentEnv, { passed: runContext.passedEnv, ...AS_CHECK }));
        return sha256(
          canonicalJson({
            env: Object.fromEntries(env.filter(([name]) => !OF_TREE.has(name))),
            sandbox: (await sandbox?.status())?.layer ?? null,
            hosts: command === undefined ? [] : (sandbox?.hostsFor(command, []) ?? []),
          }),
        );
      },
      runCached: (request) => cache.run(request),
      recover: (record, signal) => recoverProcess(record, runContext, signal),
      ready: readyRecord,
      begin: markSpawning,
      forget: (record) => rmSync(record, { recursive: true, force: true }),
      tidy: tidyRecords,
      running: runningRecords,
      outside(program) {
        const file = program.includes(path.sep) ? undefined : findProgram(program, runContext.parentEnv["PATH"] ?? "");
        return file === undefined ? undefined : { file, real: realpathSync(file) };
      },
      background,
      talks,
    },
    async [Symbol.asyncDispose]() {
      await background.stopAll();
      await talks.endAll();
      rmSync(tempDir, { recursive: true, force: true });
    },
  };
}
