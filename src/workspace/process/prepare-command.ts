/** From a permitted command to what is really started: executable found, environment cleaned, sandbox around it. */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { CommandLine } from "../gate.ts";
import type { Sandbox } from "../isolation.ts";
import type { SandboxLayer } from "../isolation.ts";
import { OWN_SHELL } from "../own-shell.ts";
import { cleanEnvironment } from "./environment.ts";

export interface NotStarted {
  kind: "not_started";
  reason: "empty_command" | "bad_folder" | "missing_binary" | "not_executable" | "no_sandbox" | "failed";
  message: string;
  fix: string | undefined;
}

export interface PrepareContext {
  boundary: { root: string };
  tempDir: string;
  /** What a command that starts in this folder is given for its git, when no sandbox bounds it. */
  gitEnvironment: (command: CommandLine, cwd: string) => Promise<Record<string, string>>;
  parentEnv: Readonly<Record<string, string | undefined>>;
  /** Names of variables the user lets commands have. */
  passedEnv?: readonly string[] | undefined;
  sandbox?: Sandbox | undefined;
}

export interface PrepareRequest {
  env?: Readonly<Record<string, string>> | undefined;
  grantedEnv?: Readonly<Record<string, string>> | undefined;
  colours?: "off" | "as the user has them" | undefined;
  /** `all`: compilers that stop after so many errors are asked not to. */
  errors?: "all" | undefined;
  network?: readonly string[] | undefined;
  /** The command serves others on this machine; it keeps the machine's network. */
  serves?: boolean | undefined;
  /** It needs neither to write nor to reach anybody: the sandbox gives it neither. */
  looksOnly?: boolean | undefined;
  /** The permission holds for a sandboxed run only. */
  onlySandboxed?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface Prepared {
  kind: "prepared";
  argv: readonly [string, ...string[]];
  env: Record<string, string>;
  sandbox: SandboxLayer | "none";
  /** What the sandbox could not give it. */
  notice: string | undefined;
  /** To be called once, when the command has ended; what then had to be put right. */
  release: () => Promise<string | undefined>;
}

export function notStarted(error: NodeJS.ErrnoException, command: CommandLine): NotStarted {
  const file = command.kind === "shell" ? "sh" : command.argv[0];
  switch (error.code) {
    case "ENOENT":
      return {
        kind: "not_started",
        reason: "missing_binary",
        message: `${file} was not found`,
        fix: `install ${file}, or give its full path`,
      };
    case "EACCES":
      return {
        kind: "not_started",
        reason: "not_executable",
        message: `${file} may not be executed`,
        fix: `make it executable: chmod +x ${file}`,
      };
    default:
      return { kind: "not_started", reason: "failed", message: `${file} could not be started: ${error.message}`, fix: undefined };
  }
}

/** `ENOENT` or `EACCES` as the system would say when starting it; undefined when it can be started. */
function startProblem(file: string, cwd: string, searchPath: string): "ENOENT" | "EACCES" | undefined {
  const places = file.includes("/")
    ? [path.resolve(cwd, file)]
    : searchPath.split(path.delimiter).map((dir) => path.resolve(cwd, dir, file));
  let denied = false;
  for (const place of places) {
    try {
      if (statSync(place, { throwIfNoEntry: false })?.isFile() !== true) continue;
      accessSync(place, constants.X_OK);
      return undefined;
    } catch {
      // A folder of the search path that may not be looked into is passed over, as the system does.
      denied = true;
    }
  }
  return denied ? "EACCES" : "ENOENT";
}

/** Names of libraries to load, or of where they are: whoever starts with these runs what stands there. */
const LOADS = /^(?:LD|DYLD)_/u;

function apart(env: Readonly<Record<string, string>>): { loads: Record<string, string>; rest: Record<string, string> } {
  const entries = Object.entries(env);
  return {
    loads: Object.fromEntries(entries.filter(([name]) => LOADS.test(name))),
    rest: Object.fromEntries(entries.filter(([name]) => !LOADS.test(name))),
  };
}

export async function prepareCommand(
  command: CommandLine,
  cwd: string,
  request: PrepareRequest,
  context: PrepareContext,
): Promise<Prepared | NotStarted> {
  const env = cleanEnvironment(context.parentEnv, {
    passed: context.passedEnv,
    extra: request.env,
    granted: request.grantedEnv,
    colours: request.colours,
    errors: request.errors,
  });
  const argv: readonly [string, ...string[]] = command.kind === "shell" ? [OWN_SHELL, "-c", command.line] : command.argv;
  const problem = process.platform === "win32" ? undefined : startProblem(argv[0], cwd, env["PATH"] ?? "");
  if (problem !== undefined) return notStarted(Object.assign(new Error(problem), { code: problem }), command);
  const direct = async (): Promise<Prepared> => ({
    kind: "prepared",
    argv,
    env: { ...env, ...(await context.gitEnvironment(command, cwd)) },
    sandbox: "none",
    notice: undefined,
    release: () => Promise.resolve(undefined),
  });
  if (context.sandbox === undefined) return direct();
  const { loads, rest } = process.platform === "darwin" ? { loads: {}, rest: env } : apart(env);
  const wrapped = await context.sandbox.wrap({
    command,
    argv,
    cwd,
    ...(request.looksOnly === true ? { writable: [], readable: [context.boundary.root] } : { writable: [context.boundary.root] }),
    searchPath: env["PATH"] ?? "",
    loads,
    network: request.network ?? [],
    serves: request.serves ?? false,
    onlySandboxed: request.onlySandboxed ?? false,
    tempDir: path.join(context.tempDir, "sandbox"),
    signal: request.signal,
  });
  switch (wrapped.kind) {
    case "direct":
      return direct();
    case "unavailable":
      return {
        kind: "not_started",
        reason: "no_sandbox",
        message: `it may only run in the sandbox, which is not available: ${wrapped.reason}`,
        fix: wrapped.fix,
      };
    case "sandboxed":
      return {
        kind: "prepared",
        argv: wrapped.argv as [string, ...string[]],
        env: { ...rest, ...wrapped.env },
        sandbox: wrapped.layer,
        notice: wrapped.notice,
        release: wrapped.release,
      };
  }
}
