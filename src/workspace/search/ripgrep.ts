/** Runs the bundled ripgrep and hands its output over as it comes. Read-only; starts nothing else. */
import { lstatSync } from "node:fs";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { SylkError, messageOf, type Clock } from "../../kernel/index.ts";
import { oddGitFolder } from "../odd-git-folder.ts";
import { oddFileBelow } from "../odd-files.ts";
import { startShort } from "../short-process.ts";

export interface RipgrepRun {
  args: readonly string[];
  cwd: string;
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Returns false to stop ripgrep: nothing more is wanted. */
  onChunk(chunk: Buffer): boolean;
}

export type RipgrepEnd =
  | { kind: "done"; found: boolean }
  | { kind: "stopped" }
  | { kind: "timed_out" }
  | { kind: "failed"; message: string };

const MAX_ERROR_CHARS = 2_000;
const NO_IGNORE_FILES = ["--no-ignore", "--glob=!**/node_modules"];

/** Hidden files are searched, git's own folder is not; `.sylkignore` is honoured beside `.gitignore`. */
export function commonArgs(root: string): string[] {
  const ignore = path.join(root, ".sylkignore");
  return [
    "--no-config",
    "--hidden",
    "--glob=!**/.git",
    "--glob=!**/.sylk/sylk.db*",
    ...(lstatSync(ignore, { throwIfNoEntry: false })?.isFile() === true ? [`--ignore-file=${ignore}`] : []),
  ];
}

export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  run.signal?.throwIfAborted();
  // Better too much found than waiting for ever: what is ignored is then searched too.
  const plain = ((await oddFileBelow(run.cwd, run.clock)) ?? (await oddGitFolder(run.cwd, [], run.clock))) === undefined;
  const timer = new AbortController();
  let end: RipgrepEnd | undefined;
  let errors = "";
  const child = startShort({
    file: rgPath,
    args: plain ? run.args : [...NO_IGNORE_FILES, ...run.args],
    cwd: run.cwd,
    env: { PATH: process.env["PATH"] ?? "" },
    onStdout(chunk) {
      if (end === undefined && !run.onChunk(chunk)) stop({ kind: "stopped" });
    },
    onStderr(chunk) {
      if (errors.length < MAX_ERROR_CHARS) errors += chunk.toString();
    },
  });
  const stop = (reason: RipgrepEnd): void => {
    end ??= reason;
    child.kill("SIGKILL");
  };
  const onAbort = (): void => stop({ kind: "stopped" });
  run.signal?.addEventListener("abort", onAbort, { once: true });
  const watch = run.clock.sleep(run.timeoutMs, timer.signal).then(
    () => stop({ kind: "timed_out" }),
    () => undefined,
  );
  try {
    const code = await child.ended.catch((cause: unknown) => {
      throw new SylkError({
        code: "SEARCH_UNAVAILABLE",
        tier: "user_fixable",
        message: `ripgrep cannot be started: ${messageOf(cause)}`,
        fix: "run npm ci again to bring the ripgrep binary back",
        cause,
      });
    });
    run.signal?.throwIfAborted();
    if (end !== undefined) return end;
    // Exit 2 with results means that some files could not be read; the results stand.
    return code === 2 && !/^\s*$/u.test(errors) && /regex|glob|unrecognized|error parsing/iu.test(errors)
      ? { kind: "failed", message: errors.trim().slice(0, MAX_ERROR_CHARS) }
      : { kind: "done", found: code === 0 };
  } finally {
    run.signal?.removeEventListener("abort", onAbort);
    timer.abort();
    await watch;
  }
}
