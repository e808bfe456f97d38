/** A page of a file as something to keep in view. What does not fit is named, never silently cut. */
import { countTokens } from "../../model/index.ts";
import type { ReadOutcome } from "../../workspace/index.ts";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import type { ActionContext, ActionResult } from "./action.ts";
import type { MemoryItem } from "../task-facts.ts";

type TextRead = Extract<ReadOutcome, { kind: "text" }>;

const MAX_PAGE_LINES = 4_000;
/** A number, a bar and a line end: not even empty lines take fewer. */
const MIN_TOKENS_PER_LINE = 3;
const WHOLE_FILE = 1.5;
const MAX_CHARS_PER_TOKEN = 5;
/** Two parts of a file become one while they fit a page of ordinary lines. */
const MAX_MERGED_LINES = 110;

export interface FileItemRequest {
  path: string;
  from?: number | undefined;
  to?: number | undefined;
  /** Kept until displaced, or for a number of steps. */
  expiresAfter?: number | undefined;
}

export async function readFileItem(request: FileItemRequest, context: ActionContext): Promise<ActionResult> {
  const known = joining(request, context);
  const from = Math.min(Math.max(1, request.from ?? 1), known?.from ?? Number.MAX_SAFE_INTEGER);
  const until = request.to === undefined ? undefined : Math.max(request.to, known?.to ?? 0);
  const wanted = until === undefined ? MAX_PAGE_LINES : Math.max(1, until - from + 1);
  const read = await context.workspace.files.read({
    path: request.path,
    fromLine: from,
    maxLines: Math.min(wanted, MAX_PAGE_LINES, Math.ceil((context.profile.page * WHOLE_FILE) / MIN_TOKENS_PER_LINE)),
    signal: context.signal,
  });
  switch (read.kind) {
    case "text":
      return textItem(read, from, { ...request, to: until }, context);
    case "binary":
      return { ok: false, outcome: "binary", summary: `${read.path} is binary (${read.bytes} bytes)` };
    case "folder":
      return {
        ok: true,
        outcome: "folder",
        summary: `${read.path} is a folder: ${read.entries.slice(0, 40).join(", ")}${read.entries.length > 40 ? `, and ${read.entries.length - 40} more` : ""}`,
        newsKey: `folder:${read.path}`,
      };
    case "not_found":
      return {
        ok: false,
        outcome: "not_found",
        summary: `${read.path} does not exist${read.similar.length > 0 ? `; similar: ${read.similar.slice(0, 5).join(", ")}` : ""}`,
      };
    case "outside":
      return { ok: false, outcome: "outside", summary: `${read.path} is outside the project: ${read.reason}` };
    case "refused":
      return { ok: false, outcome: "refused", summary: `not allowed: ${read.reason}` };
  }
}

type Range = { from: number; to: number };

/** A part of the same file already in view that this one continues, when both fit together. A part of it is shown by itself. */
function joining(request: FileItemRequest, context: ActionContext): Range | undefined {
  if (request.from === undefined) return undefined;
  const { from } = request;
  const to = request.to ?? from + MAX_MERGED_LINES;
  const found = context.state.memory.items.find(
    (item) => item.source?.path === request.path && from <= item.source.to + 1 && to >= item.source.from - 1,
  )?.source;
  if (found === undefined || (from >= found.from && to <= found.to)) return undefined;
  const lines = Math.max(to, found.to) - Math.min(from, found.from) + 1;
  return lines <= MAX_MERGED_LINES ? { from: found.from, to: found.to } : undefined;
}

/** What covers an older part takes its place; a part elsewhere in the file, or a part of a part, stands beside it. */
function keyFor(path: string, from: number, to: number, context: ActionContext): string {
  const parts = context.state.memory.items.filter((item) => item.source?.path === path);
  const covered = parts.find(({ source }) => source !== undefined && from <= source.from && to >= source.to);
  if (covered !== undefined) return covered.key;
  return parts.some((item) => item.key === `file:${path}`) ? `file:${path}@${from}` : `file:${path}`;
}

async function textItem(read: TextRead, from: number, request: FileItemRequest, context: ActionContext): Promise<ActionResult> {
  if (read.lines.length === 0) {
    const why = read.totalLines === 0 ? "is empty" : `has only ${read.totalLines} lines`;
    return { ok: true, outcome: "read", summary: `${read.path} ${why}`, newsKey: `file:${read.path}:${read.hash}:${from}` };
  }
  const width = String(read.lines.at(-1)?.number ?? 0).length;
  const numbered = read.lines.map((line) => `${String(line.number).padStart(width)}│${shortLine(line.text)}`);
  // A little more than a page is shown whole: turning it would cost a step and push the first part out.
  const larger = context.profile.page * WHOLE_FILE;
  const text = numbered.join("\n");
  const isWhole = read.lines.length === read.totalLines && from === 1;
  // Counting is what costs; what is far too long need not be counted.
  const fits = isWhole && text.length <= larger * MAX_CHARS_PER_TOKEN && countTokens(text) <= larger;
  const page = fits ? larger : context.profile.page;
  const fitting = Math.max(1, fitLines(numbered, page));
  const last = read.lines[fitting - 1]?.number ?? from;
  const more =
    last < read.totalLines && (request.to === undefined || last < request.to)
      ? `; next page: load_context full_file:${read.path}@${last + 1}-${Math.min(read.totalLines, last + fitting)}`
      : "";
  const item: MemoryItem = {
    key: keyFor(read.path, from, last, context),
    kind: "loaded_context",
    title: `${read.path} lines ${from}-${last} of ${read.totalLines}${more}`,
    content: await context.blobs.put(numbered.slice(0, fitting).join("\n")),
    pinned: false,
    step: context.step,
    expiresAfter: request.expiresAfter,
    source: { path: read.path, hash: read.hash, from, to: last, total: read.totalLines },
  };
  return {
    ok: true,
    outcome: "read",
    summary: `read ${read.path} lines ${from}-${last} of ${read.totalLines}`,
    effects: [{ op: "put", item }],
    newsKey: `file:${read.path}:${read.hash}:${from}-${last}`,
  };
}
