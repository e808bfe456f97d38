/** Files by glob, honouring ignore files; bounded, with the total, newest first when asked. */
import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import { mapLimit, SylkError, type Clock, must } from "../../kernel/index.ts";
import type { Refused } from "../gate.ts";
import { readableOnly } from "./grep.ts";
import type { SearchContext } from "./search-context.ts";
import { commonArgs, runRipgrep } from "./ripgrep.ts";

export interface ListRequest {
  globs?: readonly string[] | undefined;
  path?: string | undefined;
  maxDepth?: number | undefined;
  maxFiles?: number | undefined;
  order?: "path" | "newest" | undefined;
  signal?: AbortSignal | undefined;
}

export type ListOutcome =
  | { kind: "files"; files: string[]; total: number; truncated: boolean; timedOut: boolean }
  | { kind: "bad_pattern"; message: string }
  | { kind: "not_found"; path: string }
  | { kind: "outside"; path: string; reason: string }
  | Refused;

const STAT_LANES = 16;
const PROJECT_LIST_TIMEOUT_MS = 60_000;

async function newestFirst(root: string, files: readonly string[], signal: AbortSignal | undefined): Promise<string[]> {
  const times = await mapLimit(
    files,
    STAT_LANES,
    async (file) => (await stat(path.resolve(root, file)).catch(() => undefined))?.mtimeMs ?? 0,
    signal,
  );
  return files
    .map((file, i) => ({ file, at: must(times[i]) }))
    .sort((a, b) => b.at - a.at || (a.file < b.file ? -1 : 1))
    .map(({ file }) => file);
}

export async function listFiles(request: ListRequest, context: SearchContext): Promise<ListOutcome> {
  const where = await context.boundary.resolve(request.path ?? ".");
  if (where.kind === "outside") return where;
  if (!where.exists) return { kind: "not_found", path: where.path };
  const names: string[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  const end = await runRipgrep({
    args: [
      ...commonArgs(context.boundary.root),
      "--files",
      "--null",
      ...(request.maxDepth === undefined ? [] : [`--max-depth=${request.maxDepth}`]),
      ...(request.globs ?? []).map((glob) => `--glob=${glob}`),
      "--",
      where.path === "." ? "./" : where.path,
    ],
    cwd: context.boundary.root,
    clock: context.clock,
    timeoutMs: context.limits.searchTimeoutMs,
    signal: request.signal,
    onChunk(chunk) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\0");
      rest = must(parts.pop());
      for (const name of parts) names.push(name.startsWith("./") ? name.slice(2) : name);
      return true;
    },
  });
  if (end.kind === "failed") return { kind: "bad_pattern", message: end.message };
  const sorted = request.order === "newest" ? await newestFirst(context.boundary.root, names, request.signal) : names.sort();
  const max = Math.min(request.maxFiles ?? context.limits.maxListed, context.limits.maxListed * 20);
  const page = await readableOnly(
    sorted.slice(0, max).map((file) => ({ path: file })),
    context,
    request.signal,
  );
  return {
    kind: "files",
    files: page.map((item) => item.path),
    total: names.length,
    truncated: names.length > max,
    timedOut: end.kind === "timed_out",
  };
}

/** Every file below the root that no ignore file excludes, by path. For Sylk's own reading; agents list through the gate. */
export async function listProjectFiles(root: string, clock: Clock, signal?: AbortSignal): Promise<string[]> {
  const chunks: Buffer[] = [];
  const end = await runRipgrep({
    args: [...commonArgs(root), "--files", "--null", "--no-require-git", "--", "./"],
    cwd: root,
    clock,
    timeoutMs: PROJECT_LIST_TIMEOUT_MS,
    signal,
    onChunk: (chunk) => chunks.push(chunk) > 0,
  });
  if (end.kind !== "done")
    throw new SylkError({
      code: "SEARCH_UNAVAILABLE",
      tier: "transient",
      message: `the files of ${root} cannot be listed: ${end.kind.replace("_", " ")}`,
    });
  return Buffer.concat(chunks)
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => (name.startsWith("./") ? name.slice(2) : name))
    .sort();
}

/** What clocks say is cut to whole milliseconds, what the disk says is not: in the same millisecond is not after it. */
const CLOCK_GRAIN_MS = 1;

/** Whether any of them, or a folder they stand in, was changed after this instant. A list that cannot be had says yes. */
export async function changedSince(root: string, at: number, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  const files = await listProjectFiles(root, clock, signal).catch(() => undefined);
  if (files === undefined) return true;
  const folders = new Set(files.map((file) => path.dirname(file)));
  const times = await mapLimit(
    [...files, ...folders, "."],
    STAT_LANES,
    async (name) => {
      const found = await lstat(path.resolve(root, name)).catch(() => undefined);
      return found === undefined ? Number.POSITIVE_INFINITY : Math.max(found.mtimeMs, found.ctimeMs);
    },
    signal,
  );
  return times.some((time) => time >= at + CLOCK_GRAIN_MS);
}
