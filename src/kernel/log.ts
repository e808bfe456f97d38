/**
 * The diagnostic log: JSON lines in a file, never on the screen. What a user must see is an event
 * rendered by a surface. Text passes the redactor before it is written.
 */
import { must } from "./errors.ts";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";

export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

export interface LogOptions {
  /** Folder for `global.jsonl`. */
  dir: string;
  level: "debug" | "info" | "warn" | "error";
  retentionDays: number;
  nowMs: number;
  redact: (text: string) => string;
}

const MAX_FILE_BYTES = 20 * 1024 * 1024;
const DAY_MS = 86_400_000;

/** Opens the log; a log that cannot be written must never stop the work, so then it is silent. */
export async function openLog(options: LogOptions): Promise<Log> {
  const day = new Date(options.nowMs).toISOString().slice(0, 10);
  const file = path.join(options.dir, `global-${day}.jsonl`);
  try {
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    prune(options);
    const full = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_FILE_BYTES;
    // Loaded here, because most threads and many commands keep no log.
    const { pino } = await import("pino");
    const out = pino(
      { level: full ? "error" : options.level, base: { pid: process.pid } },
      pino.destination({ dest: file, sync: true, mode: 0o600 }),
    );
    const write =
      (level: keyof Log) =>
      (message: string, facts: Record<string, unknown> = {}): void =>
        out[level](JSON.parse(options.redact(JSON.stringify(facts))) as object, options.redact(message));
    return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  } catch {
    const nothing = (): void => undefined;
    return { debug: nothing, info: nothing, warn: nothing, error: nothing };
  }
}

function prune({ dir, retentionDays, nowMs }: LogOptions): void {
  for (const name of readdirSync(dir)) {
    const match = /^global-(\d{4}-\d{2}-\d{2})\.jsonl$/.exec(name);
    if (match !== null && nowMs - Date.parse(must(match[1])) > retentionDays * DAY_MS) rmSync(path.join(dir, name), { force: true });
  }
}
