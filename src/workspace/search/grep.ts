/**
 * Text search with ripgrep: honours ignore files, keeps a bounded number of matches and still says
 * how many there are in all. Parsing costs nothing beyond the bound.
 */
import path from "node:path";
import type { Refused } from "../gate.ts";
import { matchingLines, type RawMatch } from "./matching-lines.ts";
import { commonArgs, runRipgrep } from "./ripgrep.ts";
import type { Match, SearchContext } from "./search-context.ts";

export interface GrepRequest {
  pattern: string;
  /** The pattern is plain text, not a regular expression. */
  literal?: boolean | undefined;
  /** Folder or file to search; the root when absent. */
  path?: string | undefined;
  /** Globs a file's path must match, `!` to exclude. */
  globs?: readonly string[] | undefined;
  maxMatches?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type GrepOutcome =
  | {
      kind: "matches";
      matches: Match[];
      totalMatches: number;
      totalFiles: number;
      /** More exist than are listed. */ truncated: boolean;
      timedOut: boolean;
    }
  | { kind: "bad_pattern"; message: string }
  | { kind: "not_found"; path: string }
  | { kind: "outside"; path: string; reason: string }
  | Refused;

const NEWLINE = 10;
/** Enough of a line to know it again in the file. */
const BEGINNING_BYTES = 120;

/** Splits `path\0line:offset:text` records and counts those that are not kept. */
function collector(max: number): { take(chunk: Buffer): boolean; matches: RawMatch[]; totals(): { matches: number; files: number } } {
  const matches: RawMatch[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let total = 0;
  let files = 0;
  let lastPath: Buffer = Buffer.alloc(0);
  const record = (bytes: Buffer): void => {
    const cut = bytes.indexOf(0);
    if (cut === -1) return;
    total += 1;
    const name = bytes.subarray(0, cut);
    if (!name.equals(lastPath)) {
      files += 1;
      lastPath = Buffer.from(name);
    }
    if (matches.length >= max) return;
    const colon = bytes.indexOf(58, cut);
    const second = bytes.indexOf(58, colon + 1);
    matches.push({
      path: name.toString("utf8").replace(/^\.\//u, ""),
      line: Number(bytes.toString("latin1", cut + 1, colon)),
      offset: Number(bytes.toString("latin1", colon + 1, second)),
      begins: bytes.toString("utf8", second + 1, second + 1 + BEGINNING_BYTES).replace(/\r$/u, ""),
    });
  };
  return {
    matches,
    totals: () => ({ matches: total, files }),
    take(chunk) {
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let at = data.indexOf(NEWLINE); at !== -1; at = data.indexOf(NEWLINE, from)) {
        record(data.subarray(from, at));
        from = at + 1;
      }
      rest = Buffer.from(data.subarray(from));
      return true;
    },
  };
}

/** Drops matches in files the gate does not let be read; asked once per file. */
export async function readableOnly<T extends { path: string }>(
  items: readonly T[],
  context: SearchContext,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const allowed = new Map<string, boolean>();
  const kept: T[] = [];
  for (const item of items) {
    let ok = allowed.get(item.path);
    if (ok === undefined) {
      // Ripgrep follows no links, so a listed path is already the real one.
      const absolute = path.resolve(context.boundary.root, item.path);
      ok = (await context.gate.decide({ kind: "read", path: item.path, absolute }, signal)).kind === "allow";
      allowed.set(item.path, ok);
    }
    if (ok) kept.push(item);
  }
  return kept;
}

export async function grep(request: GrepRequest, context: SearchContext): Promise<GrepOutcome> {
  const where = await context.boundary.resolve(request.path ?? ".");
  if (where.kind === "outside") return where;
  if (!where.exists) return { kind: "not_found", path: where.path };
  const decision = await context.gate.decide({ kind: "read", path: where.path, absolute: where.absolute }, request.signal);
  if (decision.kind === "deny") return { kind: "refused", reason: decision.reason, rule: decision.rule, path: where.path };
  const max = Math.min(request.maxMatches ?? context.limits.maxMatches, context.limits.maxMatches * 10);
  const found = collector(max);
  const flags: string[] = [
    "--line-number",
    "--byte-offset",
    "--with-filename",
    "--no-heading",
    "--null",
    "--color=never",
    `--max-columns=${BEGINNING_BYTES * 4}`,
    "--max-columns-preview",
    "--case-sensitive",
    ...(request.literal === true ? ["--fixed-strings"] : []),
    ...(request.globs ?? []).map((glob) => `--glob=${glob}`),
  ];
  const end = await runRipgrep({
    args: [...commonArgs(context.boundary.root), ...flags, "--regexp", request.pattern, "--", where.path === "." ? "./" : where.path],
    cwd: context.boundary.root,
    clock: context.clock,
    timeoutMs: context.limits.searchTimeoutMs,
    signal: request.signal,
    onChunk: (chunk) => found.take(chunk),
  });
  if (end.kind === "failed") return { kind: "bad_pattern", message: end.message };
  const kept = await readableOnly(found.matches, context, request.signal);
  const hidden = found.matches.length - kept.length;
  const totals = found.totals();
  return {
    kind: "matches",
    matches: await matchingLines(kept, context, request.signal),
    totalMatches: totals.matches - hidden,
    totalFiles: totals.files,
    truncated: totals.matches - hidden > kept.length,
    timedOut: end.kind === "timed_out",
  };
}
