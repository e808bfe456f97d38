/** A page of a file as something to keep in view. What does not fit is named, never silently cut. */
import type { MemoryItem } from "../../memory/index.ts";
import type { ReadOutcome } from "../../workspace/index.ts";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import type { ActionContext, ActionResult } from "./action.ts";

type TextRead = Extract<ReadOutcome, { kind: "text" }>;

const MAX_PAGE_LINES = 4_000;

export interface FileItemRequest {
  path: string;
  from?: number | undefined;
  to?: number | undefined;
  /** Kept until displaced, or for a number of steps. */
  expiresAfter?: number | undefined;
}

export async function readFileItem(request: FileItemRequest, context: ActionContext): Promise<ActionResult> {
  const from = Math.max(1, request.from ?? 1);
  const wanted = request.to === undefined ? MAX_PAGE_LINES : Math.max(1, request.to - from + 1);
  const read = await context.workspace.files.read({
    path: request.path,
    fromLine: from,
    maxLines: Math.min(wanted, MAX_PAGE_LINES),
    signal: context.signal,
  });
  switch (read.kind) {
    case "text":
      return textItem(read, from, request, context);
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

async function textItem(read: TextRead, from: number, request: FileItemRequest, context: ActionContext): Promise<ActionResult> {
  if (read.lines.length === 0) {
    const why = read.totalLines === 0 ? "is empty" : `has only ${read.totalLines} lines`;
    return { ok: true, outcome: "read", summary: `${read.path} ${why}`, newsKey: `file:${read.path}:${read.hash}:${from}` };
  }
  const width = String(read.lines.at(-1)?.number ?? 0).length;
  const numbered = read.lines.map((line) => `${String(line.number).padStart(width)} ${shortLine(line.text)}`);
  const fitting = Math.max(1, fitLines(numbered, context.profile.page));
  const last = read.lines[fitting - 1]?.number ?? from;
  const more =
    last < read.totalLines && (request.to === undefined || last < request.to)
      ? `; next page: load_context full_file:${read.path}@${last + 1}-${Math.min(read.totalLines, last + fitting)}`
      : "";
  const item: MemoryItem = {
    key: `file:${read.path}`,
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
