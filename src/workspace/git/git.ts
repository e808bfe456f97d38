/**
 * The one way to run the git binary for Sylk's own work: no shell, no prompts, no programs that a
 * repository names (safe-git.ts), English messages, a deadline. Agents' own git commands go through
 * `processes.run` and the gate.
 */
import path from "node:path";
import { SylkError, messageOf, systemCode, type Clock } from "../../kernel/index.ts";
import { cleanEnvironment } from "../process/environment.ts";
import { startShort } from "../short-process.ts";
import { findProgram } from "../find-program.ts";
import { oddFileBelow } from "../odd-files.ts";
import { oddGitFolder } from "../odd-git-folder.ts";
import { configPrint } from "./config-print.ts";
import { fileDiffs, type FileDiff } from "./file-diffs.ts";
import { DRIVER_QUERY, FIXED, SAFE_ENVIRONMENT, emptiedDrivers, namesFrom, needsDrivers, withoutPrograms } from "./safe-git.ts";

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

export interface GitRun {
  cwd?: string | undefined;
  input?: string | Buffer | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  /** Exit codes that are answers, not errors. */
  accept?: readonly number[] | undefined;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface Git {
  readonly cwd: string;
  /** The git folder it was told of; undefined where git looks for it itself. */
  readonly gitDir: string | undefined;
  /** Where its objects are: first the folder it writes them to. None where git looks for it itself. */
  readonly stores: readonly string[];
  run(args: readonly string[], options?: GitRun): Promise<GitResult>;
  /** Standard output without the last line feed. */
  text(args: readonly string[], options?: GitRun): Promise<string>;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const READER_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const LOCK_TRIES = 6;
const LOCK_WAIT_MS = 40;

/** Used only where the user has told git no name. */
const IDENTITY = {
  GIT_AUTHOR_NAME: "Sylk",
  GIT_AUTHOR_EMAIL: "sylk@localhost",
  GIT_COMMITTER_NAME: "Sylk",
  GIT_COMMITTER_EMAIL: "sylk@localhost",
};

function gitError(args: readonly string[], result: GitResult): SylkError {
  const said = result.stderr.trim().split("\n").at(-1) ?? "";
  const denied = /permission denied|read-only file system/iu.test(result.stderr);
  const full = /no space left|disk quota/iu.test(result.stderr);
  return new SylkError({
    code: "GIT_FAILED",
    tier: denied || full ? "user_fixable" : isLocked(result) ? "transient" : "permanent",
    message: `git ${args
      .filter((arg) => !arg.startsWith("-c"))
      .slice(0, 3)
      .join(" ")} failed: ${said || `exit code ${result.code}`}`,
    fix: denied ? "give yourself write access to the repository's .git folder" : full ? "free some disk space and try again" : undefined,
    details: { args: [...args], exitCode: result.code, stderr: result.stderr.slice(0, 4_000) },
  });
}

function isLocked(result: GitResult): boolean {
  return (
    result.code !== 0 &&
    /\.lock': File exists|failed to read .*commondir|unable to lock|cannot lock ref|Unable to create '.*\.lock'/iu.test(result.stderr)
  );
}

async function spawnGit(
  args: readonly string[],
  cwd: string,
  options: GitRun,
  clock: Clock,
  extra: Readonly<Record<string, string>>,
): Promise<GitResult> {
  const env = {
    ...cleanEnvironment(process.env),
    ...SAFE_ENVIRONMENT,
    ...IDENTITY,
    ...extra,
    ...options.env,
  };
  const file = findProgram("git", process.env["PATH"] ?? "");
  if (file === undefined && process.platform !== "win32")
    throw notStarted(Object.assign(new Error("git is not on the search path"), { code: "ENOENT" }));
  const done = new AbortController();
  const out: Buffer[] = [];
  let size = 0;
  let stderr = "";
  let late = false;
  const child = startShort({
    file: file ?? "git",
    args: [...FIXED, ...withoutPrograms(args)],
    cwd,
    env,
    input: options.input,
    onStdout(chunk) {
      size += chunk.length;
      if (size <= MAX_OUTPUT_BYTES) out.push(chunk);
    },
    onStderr(chunk) {
      stderr = (stderr + chunk.toString()).slice(-16_384);
    },
  });
  const onAbort = (): void => child.kill("SIGTERM");
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const watch = clock.sleep(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, done.signal).then(
    () => {
      late = true;
      child.kill("SIGKILL");
    },
    () => undefined,
  );
  try {
    const code = await child.ended.catch((cause: unknown) => {
      throw notStarted(cause);
    });
    options.signal?.throwIfAborted();
    if (late)
      throw new SylkError({
        code: "GIT_TIMEOUT",
        tier: "transient",
        message: `git ${args[0] ?? ""} took longer than ${options.timeoutMs ?? DEFAULT_TIMEOUT_MS} ms`,
      });
    return { code: code ?? 128, stdout: Buffer.concat(out), stderr };
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    done.abort();
    await watch;
  }
}

function notStarted(cause: unknown): SylkError {
  const missing = systemCode(cause) === "ENOENT";
  return new SylkError({
    code: missing ? "GIT_MISSING" : "GIT_FAILED",
    tier: missing ? "user_fixable" : "permanent",
    message: missing ? "git was not found" : `git could not be started: ${messageOf(cause)}`,
    fix: missing ? "install git (2.20 or newer) and make sure it is on PATH" : undefined,
    cause,
  });
}

function oddFile(file: string): SylkError {
  return new SylkError({
    code: "GIT_ODD_FILE",
    tier: "user_fixable",
    message: `${file} is not a regular file, so git is not used here`,
    fix: "remove it: git would wait for it, or read without end",
  });
}

function storesOf(extra: Readonly<Record<string, string>>): string[] {
  const gitDir = extra["GIT_COMMON_DIR"] ?? extra["GIT_DIR"];
  return [extra["GIT_OBJECT_DIRECTORY"], gitDir === undefined ? undefined : path.join(gitDir, "objects")].filter(
    (one) => one !== undefined,
  );
}

type Drivers = Promise<Record<string, string>>;
/** Drivers of repositories, by what their configuration was when they were looked up. */
const knownDrivers = new Map<string, Drivers>();
const MAX_KNOWN = 500;

/** `extra` is set for every call: a shadow repository lives from it. */
export function createGit(cwd: string, clock: Clock, extra: Readonly<Record<string, string>> = {}): Git {
  const named = [extra["GIT_DIR"], extra["GIT_COMMON_DIR"]].filter((dir) => dir !== undefined);
  const look = (at: string): Drivers =>
    spawnGit(DRIVER_QUERY, at, {}, clock, extra).then((found) => emptiedDrivers(namesFrom(found.stdout)));
  /** Where a change of configuration cannot be told, they are looked up each time: what is included may be anybody's to write. */
  const withoutDrivers = (at: string): Drivers => {
    const print = named.length === 0 ? undefined : configPrint(named, clock);
    if (print === undefined) return look(at);
    const known = knownDrivers.get(print);
    if (known !== undefined) return known;
    const drivers = look(at);
    if (knownDrivers.size >= MAX_KNOWN) knownDrivers.clear();
    knownDrivers.set(print, drivers);
    return drivers;
  };
  const run = async (args: readonly string[], given: GitRun = {}): Promise<GitResult> => {
    const at = given.cwd ?? cwd;
    const odd = await oddFileBelow(at, clock);
    if (odd !== undefined) throw oddFile(path.join(at, odd));
    const inGit = await oddGitFolder(at, named, clock);
    if (inGit !== undefined) throw oddFile(inGit);
    const drivers = needsDrivers(args) ? await withoutDrivers(at) : {};
    const options = { ...given, env: { ...given.env, ...drivers } };
    for (let attempt = 1; ; attempt += 1) {
      options.signal?.throwIfAborted();
      const result = await spawnGit(args, at, options, clock, extra);
      if (result.code === 0 || options.accept?.includes(result.code) === true) return result;
      // Parallel work trees meet at a few lock files for a moment.
      if (!isLocked(result) || attempt >= LOCK_TRIES) throw gitError(args, result);
      await clock.sleep(LOCK_WAIT_MS * attempt, options.signal);
    }
  };
  return {
    cwd,
    gitDir: extra["GIT_DIR"],
    stores: storesOf(extra),
    run,
    text: async (args, options) => (await run(args, options)).stdout.toString("utf8").replace(/\n$/u, ""),
  };
}

interface GitReader extends Pick<Git, "run" | "text"> {
  /** What differs between two commits, or one and the folder as it stands, file by file. */
  fileDiffs(range: readonly string[], signal?: AbortSignal): Promise<FileDiff[]>;
}

/** Git for floors that only look: it never fetches what a partial clone lacks, and is not waited for long. */
export function createGitReader(cwd: string, clock: Clock): GitReader {
  const git = createGit(cwd, clock);
  const soon = (options: GitRun = {}): GitRun => ({ timeoutMs: READER_TIMEOUT_MS, ...options });
  const run: Git["run"] = (args, options) => git.run(args, soon(options));
  return {
    run,
    text: (args, options) => git.text(args, soon(options)),
    fileDiffs: (range, signal) => fileDiffs({ run }, range, { signal }),
  };
}
