/**
 * Reading for people and models: numbered lines, one page at a time, whatever the size of the file.
 * Text is redacted on the way out; `hash` is always that of the whole file's bytes.
 */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { SylkError, messageOf, sha256, systemCode, must } from "../../kernel/index.ts";
import type { PermissionGate, Redact, Refused } from "../gate.ts";
import type { WorkspaceLimits } from "../limits.ts";
import type { PathBoundary } from "./path-boundary.ts";
import { entriesOf, openResolved } from "./held-folder.ts";
import { lookedAt, openBlock, redactPage, type PageLine } from "./redact-page.ts";
import { decodeText, looksBinary, type TextFormat } from "./text-format.ts";
import type { Line } from "./redact-page.ts";

export interface ReadRequest {
  path: string;
  /** First line wanted, from 1. */
  fromLine?: number | undefined;
  maxLines?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type ReadOutcome =
  | {
      kind: "text";
      path: string;
      hash: string;
      bytes: number;
      lines: Line[];
      totalLines: number;
      /** Where the next page starts; undefined at the end. */
      nextLine: number | undefined;
      format: TextFormat;
      redacted: boolean;
    }
  | { kind: "binary"; path: string; hash: string; bytes: number }
  | { kind: "folder"; path: string; entries: string[] }
  | { kind: "not_found"; path: string; similar: string[] }
  | { kind: "outside"; path: string; reason: string }
  | Refused;

export interface ReadContext {
  boundary: PathBoundary;
  gate: PermissionGate;
  redact: Redact;
  limits: WorkspaceLimits;
}

const CHUNK_BYTES = 1024 * 1024;
const MAX_ENTRIES = 500;

export function readError(file: string, error: unknown): SylkError {
  const code = systemCode(error);
  const denied = code === "EACCES" || code === "EPERM";
  return new SylkError({
    code: "FILE_READ_FAILED",
    tier: denied ? "user_fixable" : "permanent",
    message: `cannot read ${file}: ${messageOf(error)}`,
    fix: denied ? `give yourself read access, e.g. chmod u+r ${file}` : undefined,
    cause: error,
  });
}

async function similarNames(absolute: string): Promise<string[]> {
  const wanted = path.basename(absolute).toLowerCase();
  const stem = wanted.replace(/\.[^.]*$/u, "");
  const names = await readdir(path.dirname(absolute)).catch(() => [] as string[]);
  return names
    .filter(
      (name) => name.toLowerCase().includes(stem) || (name.length > 3 && wanted.includes(name.toLowerCase().replace(/\.[^.]*$/u, ""))),
    )
    .slice(0, 5);
}

async function* chunks(file: FileHandle, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Collects the asked lines within the character budget and counts the rest. */
function pageOf(
  context: ReadContext,
  request: ReadRequest,
): {
  take(text: string): void;
  page(): { lines: PageLine[]; totalLines: number; nextLine: number | undefined; opened: string | undefined };
} {
  const from = Math.max(1, Math.trunc(request.fromLine ?? 1));
  const max = Math.min(Math.max(1, request.maxLines ?? context.limits.pageLines), context.limits.pageLines);
  const lines: PageLine[] = [];
  let number = 0;
  let chars = 0;
  let full = false;
  let opened: string | undefined;
  return {
    take(text) {
      number += 1;
      if (number < from) opened = openBlock(opened, text);
      if (number < from || full) return;
      const limit = context.limits.maxLineChars;
      const shownChars = Math.min(text.length, limit);
      if (lines.length >= max || (lines.length > 0 && chars + shownChars > context.limits.maxPageChars)) {
        full = true;
        return;
      }
      const seen = lookedAt(text, limit);
      lines.push({ number, text: seen, more: text.length - seen.length });
      chars += shownChars;
    },
    page: () => ({ lines, totalLines: number, nextLine: full ? from + lines.length : undefined, opened }),
  };
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n/u);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

async function readSmall(file: FileHandle, bytes: number, name: string, request: ReadRequest, context: ReadContext): Promise<ReadOutcome> {
  const data = await file.readFile({ signal: request.signal });
  const hash = sha256(data);
  const decoded = decodeText(data);
  if (decoded === undefined) return { kind: "binary", path: name, hash, bytes };
  const page = pageOf(context, request);
  for (const line of splitLines(decoded.raw)) page.take(line);
  const { lines, totalLines, nextLine, opened } = page.page();
  return {
    kind: "text",
    path: name,
    hash,
    bytes: data.length,
    totalLines,
    nextLine,
    format: decoded.format,
    ...redactPage(lines, opened, { redact: context.redact, maxLineChars: context.limits.maxLineChars }),
  };
}

/** Files above the streaming size are read as UTF-8, a chunk at a time. */
async function readHuge(file: FileHandle, bytes: number, name: string, request: ReadRequest, context: ReadContext): Promise<ReadOutcome> {
  const hash = createHash("sha256");
  const decoder = new TextDecoder("utf-8");
  const page = pageOf(context, request);
  let rest = "";
  let binary = false;
  let crlf = false;
  for await (const chunk of chunks(file, request.signal)) {
    binary ||= rest === "" && looksBinary(chunk);
    hash.update(chunk);
    if (binary) continue;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = must(lines.pop()).slice(0, CHUNK_BYTES);
    for (const line of lines) {
      const ended = line.endsWith("\r");
      crlf ||= ended;
      page.take(ended ? line.slice(0, -1) : line);
    }
  }
  const digest = hash.digest("hex");
  if (binary) return { kind: "binary", path: name, hash: digest, bytes };
  if (rest !== "") page.take(rest);
  const { lines, totalLines, nextLine, opened } = page.page();
  const format: TextFormat = { encoding: "utf-8", bom: false, eol: crlf ? "crlf" : "lf" };
  return {
    kind: "text",
    path: name,
    hash: digest,
    bytes,
    totalLines,
    nextLine,
    format,
    ...redactPage(lines, opened, { redact: context.redact, maxLineChars: context.limits.maxLineChars }),
  };
}

export async function readFilePage(request: ReadRequest, context: ReadContext): Promise<ReadOutcome> {
  const found = await context.boundary.resolve(request.path);
  if (found.kind === "outside") return found;
  const decision = await context.gate.decide({ kind: "read", path: found.path, absolute: found.absolute }, request.signal);
  if (decision.kind === "deny") return { kind: "refused", reason: decision.reason, rule: decision.rule, path: found.path };
  if (!found.exists) return { kind: "not_found", path: found.path, similar: await similarNames(found.absolute) };
  try {
    await using file = await openResolved(found.absolute);
    const info = await file.stat();
    if (info.isDirectory()) {
      const entries = await readdir(entriesOf(file, found.absolute), { withFileTypes: true });
      return {
        kind: "folder",
        path: found.path,
        entries: entries.slice(0, MAX_ENTRIES).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)),
      };
    }
    if (!info.isFile()) return { kind: "outside", path: found.path, reason: "is not a regular file" };
    const read = info.size > context.limits.streamAboveBytes ? readHuge : readSmall;
    return await read(file, info.size, found.path, request, context);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { kind: "not_found", path: found.path, similar: [] };
    if (systemCode(error) === "ELOOP")
      return { kind: "outside", path: found.path, reason: "became a link, or lies behind one, while it was opened" };
    throw request.signal?.aborted === true ? error : readError(found.path, error);
  }
}
