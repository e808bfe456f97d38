/**
 * Results of commands that only look (linters, checkers), kept while everything they looked at is
 * the same (TOO-031…033). The key covers the command, where and with what it ran, and the content
 * of its input files, so a stale result cannot be returned. Commands that write are never kept.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { mapLimit, sha256, systemCode, type Clock } from "../../kernel/index.ts";
import type { CommandLine } from "../gate.ts";
import type { ListOutcome } from "../search/list-files.ts";
import type { RunOutcome, RunRequest } from "./run-process.ts";
import { toCommandLine } from "./command-line.ts";

export interface CachedRunRequest extends RunRequest {
  /** Globs of the files the result depends on, configuration included. */
  inputs: readonly string[];
  ttlMs?: number | undefined;
}

export type CachedRunOutcome = RunOutcome & { cached: boolean };

export interface OutputCache {
  run(request: CachedRunRequest): Promise<CachedRunOutcome>;
  readonly size: number;
}

export interface OutputCacheParts {
  root: string;
  clock: Clock;
  run(request: RunRequest): Promise<RunOutcome>;
  list(globs: readonly string[]): Promise<ListOutcome>;
  maxEntries?: number | undefined;
  maxBytes?: number | undefined;
}

const MAX_ENTRIES = 1_000;
const MAX_BYTES = 100 * 1024 * 1024;
const TTL_MS = 5 * 60_000;
const LANES = 16;
/** Above this many files hashing costs more than running. */
const MAX_INPUTS = 10_000;

const WRITES = /(?:^|\s)(?:--fix\S*|--write|--in-place|--apply\S*|-w|-i|--update\S*|-u)(?:\s|$|=)|>/u;

function writesFiles(command: CommandLine): boolean {
  return WRITES.test(command.kind === "shell" ? command.line : command.argv.join(" "));
}

interface Entry {
  outcome: RunOutcome;
  at: number;
  bytes: number;
}

export function createOutputCache(parts: OutputCacheParts): OutputCache {
  const entries = new Map<string, Entry>();
  const maxEntries = parts.maxEntries ?? MAX_ENTRIES;
  const maxBytes = parts.maxBytes ?? MAX_BYTES;
  let bytes = 0;

  const drop = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  // Always the content: file times are too coarse to tell two writes of one moment apart.
  const hashOf = async (file: string): Promise<string> => {
    try {
      return sha256(await readFile(file));
    } catch (error) {
      return systemCode(error) ?? "unreadable";
    }
  };

  /** Undefined when the inputs cannot be told completely. */
  const keyOf = async (request: CachedRunRequest, command: CommandLine): Promise<string | undefined> => {
    const listed = await parts.list(request.inputs);
    if (listed.kind !== "files" || listed.truncated || listed.timedOut || listed.files.length > MAX_INPUTS) return undefined;
    const contents = await mapLimit(listed.files, LANES, (file) => hashOf(path.resolve(parts.root, file)), request.signal);
    const hash = createHash("sha256");
    for (const part of [JSON.stringify(command), request.cwd ?? ".", JSON.stringify(request.env ?? {}), request.stdin ?? ""])
      hash.update(`${part.length}:${part}`);
    for (const [i, file] of listed.files.entries()) hash.update(`${file.length}:${file}${contents[i] ?? ""}`);
    return hash.digest("hex");
  };

  const keep = (key: string, outcome: RunOutcome): void => {
    if (outcome.kind !== "exited" || outcome.partial) return;
    const size = outcome.stdout.length + outcome.stderr.length + outcome.output.text.length;
    entries.set(key, { outcome, at: parts.clock.now(), bytes: size });
    bytes += size;
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries && bytes <= maxBytes) break;
      drop(oldest);
    }
  };

  return {
    get size() {
      return entries.size;
    },
    async run(request) {
      const command = toCommandLine(request.command);
      const key =
        command === undefined || writesFiles(command) || request.grantedEnv !== undefined ? undefined : await keyOf(request, command);
      const known = key === undefined ? undefined : entries.get(key);
      if (key !== undefined && known !== undefined) {
        drop(key);
        if (parts.clock.now() - known.at < (request.ttlMs ?? TTL_MS)) {
          entries.set(key, known);
          bytes += known.bytes;
          return { ...known.outcome, cached: true };
        }
      }
      const outcome = await parts.run(request);
      if (key !== undefined) keep(key, outcome);
      return { ...outcome, cached: false };
    },
  };
}
