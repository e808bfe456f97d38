/**
 * Works out what a set of changes would do to the files, without touching any of them. The plan
 * carries the hash of each file before and after, so an interrupted change can be resolved later by
 * looking at the files.
 */
import { lstat } from "node:fs/promises";
import { sha256, systemCode } from "../../kernel/index.ts";
import type { Refused } from "../gate.ts";
import { editText, type Closest, type TextEdit } from "./edit-text.ts";
import { openResolved } from "./held-folder.ts";
import type { PathBoundary } from "./path-boundary.ts";
import { readError } from "./read-file.ts";
import { decodeText, encodeText, withEnding } from "./text-format.ts";

export type FileRequest =
  /** Creates or replaces the whole file. `expect` is the hash the caller last saw; null when it saw no file. */
  | { kind: "write"; path: string; content: string; expect?: string | null | undefined; executable?: boolean | undefined }
  /** Creates; an existing file is never replaced. */
  | { kind: "create"; path: string; content: string; executable?: boolean | undefined }
  | { kind: "edit"; path: string; edits: readonly TextEdit[]; expect?: string | undefined }
  /** Exactly these bytes, whatever the file's format: what was there before. */
  | { kind: "restore"; path: string; bytes: Uint8Array; mode?: number | undefined; expect: string | null }
  | { kind: "move"; from: string; to: string }
  | { kind: "delete"; path: string; expect?: string | undefined };

/** One file, before and after. Hash null: the file does not exist on that side. */
export interface PlannedChange {
  path: string;
  absolute: string;
  operation: "create" | "modify" | "delete" | "move";
  before: string | null;
  after: string | null;
  mode: number;
  /** Permissions it has now, where they are to be others. */
  oldMode?: number;
  oldBytes: Buffer | null;
  newBytes: Buffer | null;
  /** What whoever asked for it should know of how it was done. */
  notes?: readonly string[];
}

export type PlanProblem =
  | { kind: "outside"; path: string; reason: string }
  | { kind: "not_found"; path: string }
  | { kind: "exists"; path: string }
  | { kind: "folder"; path: string }
  | { kind: "stale"; path: string; expected: string | null; actual: string | null }
  | { kind: "binary"; path: string }
  | { kind: "too_large"; path: string; bytes: number; limitBytes: number }
  | { kind: "unencodable"; path: string; encoding: string }
  | { kind: "no_match"; path: string; edit: number; closest: Closest | undefined }
  | { kind: "ambiguous"; path: string; edit: number; lines: number[]; total: number }
  | { kind: "empty_find"; path: string; edit: number }
  | { kind: "no_line"; path: string; edit: number; lines: number }
  | Refused;

export type Plan = { kind: "plan"; changes: PlannedChange[]; notes?: readonly string[] } | PlanProblem;

const DEFAULT_MODE = 0o644;
const EXECUTABLE_MODE = 0o755;

interface Draft {
  path: string;
  absolute: string;
  old: Buffer | null;
  now: Buffer | null;
  mode: number;
  oldMode: number | undefined;
  moved: boolean;
  notes: string[];
}

class PlanStop extends Error {
  readonly problem: PlanProblem;
  constructor(problem: PlanProblem) {
    super(problem.kind);
    this.problem = problem;
  }
}

async function load(absolute: string, name: string, maxBytes: number): Promise<{ bytes: Buffer; mode: number } | null> {
  const info = await lstat(absolute).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw readError(name, error);
  });
  if (info === undefined) return null;
  if (info.isDirectory()) throw new PlanStop({ kind: "folder", path: name });
  if (!info.isFile()) throw new PlanStop({ kind: "outside", path: name, reason: "is not a regular file" });
  if (info.size > maxBytes) throw new PlanStop({ kind: "too_large", path: name, bytes: info.size, limitBytes: maxBytes });
  try {
    await using file = await openResolved(absolute);
    return { bytes: await file.readFile(), mode: info.mode & 0o7777 };
  } catch (error) {
    throw readError(name, error);
  }
}

/** The text of a file that is not there yet, where all that is to be done is to put lines in. */
function newLines(edits: Extract<FileRequest, { kind: "edit" }>["edits"]): string | undefined {
  const added = edits.flatMap((edit) => ("insert" in edit && (edit.after ?? 0) === 0 ? [edit.insert] : []));
  if (added.length !== edits.length) return undefined;
  return added.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("");
}

const hashOf = (bytes: Buffer | null): string | null => (bytes === null ? null : sha256(bytes));

export async function planChanges(requests: readonly FileRequest[], boundary: PathBoundary, maxBytes: number): Promise<Plan> {
  const drafts = new Map<string, Draft>();

  const draftOf = async (input: string): Promise<Draft> => {
    const found = await boundary.resolveForWrite(input);
    if (found.kind === "outside") throw new PlanStop(found);
    if (found.path === ".") throw new PlanStop({ kind: "folder", path: "." });
    const known = drafts.get(found.absolute);
    if (known !== undefined) return known;
    const loaded = await load(found.absolute, found.path, maxBytes);
    const draft: Draft = {
      path: found.path,
      absolute: found.absolute,
      old: loaded?.bytes ?? null,
      now: loaded?.bytes ?? null,
      mode: loaded?.mode ?? DEFAULT_MODE,
      oldMode: loaded?.mode,
      moved: false,
      notes: [],
    };
    drafts.set(found.absolute, draft);
    return draft;
  };

  const check = (draft: Draft, expected: string | null | undefined): void => {
    if (expected === undefined) return;
    const actual = hashOf(draft.now);
    if (actual !== expected) throw new PlanStop({ kind: "stale", path: draft.path, expected, actual });
  };

  const present = (draft: Draft): Buffer => {
    if (draft.now === null) throw new PlanStop({ kind: "not_found", path: draft.path });
    return draft.now;
  };

  const put = (draft: Draft, content: string, executable: boolean | undefined): void => {
    const format = draft.now === null ? undefined : decodeText(draft.now)?.format;
    const bytes = encodeText(withEnding(content, format?.eol ?? "lf"), format ?? { encoding: "utf-8", bom: false, eol: "lf" });
    if (bytes === undefined) throw new PlanStop({ kind: "unencodable", path: draft.path, encoding: format?.encoding ?? "utf-8" });
    if (bytes.length > maxBytes) throw new PlanStop({ kind: "too_large", path: draft.path, bytes: bytes.length, limitBytes: maxBytes });
    if (executable === true) draft.mode = draft.now === null ? EXECUTABLE_MODE : draft.mode | 0o111;
    draft.now = bytes;
  };

  const one = async (request: FileRequest): Promise<void> => {
    switch (request.kind) {
      case "write": {
        const draft = await draftOf(request.path);
        check(draft, request.expect);
        return put(draft, request.content, request.executable);
      }
      case "restore": {
        const draft = await draftOf(request.path);
        check(draft, request.expect);
        draft.now = Buffer.from(request.bytes);
        draft.mode = request.mode ?? draft.mode;
        return;
      }
      case "create": {
        const draft = await draftOf(request.path);
        if (draft.now !== null) throw new PlanStop({ kind: "exists", path: draft.path });
        return put(draft, request.content, request.executable);
      }
      case "edit": {
        const draft = await draftOf(request.path);
        const lines = draft.now === null ? newLines(request.edits) : undefined;
        if (lines !== undefined) {
          check(draft, request.expect);
          return put(draft, lines, undefined);
        }
        const decoded = decodeText(present(draft));
        check(draft, request.expect);
        if (decoded === undefined) throw new PlanStop({ kind: "binary", path: draft.path });
        const edited = editText(decoded.raw, request.edits);
        if (edited.kind !== "edited") throw new PlanStop({ ...edited, path: draft.path });
        const bytes = encodeText(edited.raw, decoded.format);
        if (bytes === undefined) throw new PlanStop({ kind: "unencodable", path: draft.path, encoding: decoded.format.encoding });
        draft.now = bytes;
        draft.notes.push(...edited.notes);
        return;
      }
      case "move": {
        const from = await draftOf(request.from);
        const to = await draftOf(request.to);
        const bytes = present(from);
        if (to.now !== null) throw new PlanStop({ kind: "exists", path: to.path });
        to.now = bytes;
        to.mode = from.mode;
        to.moved = true;
        from.now = null;
        from.moved = true;
        return;
      }
      case "delete": {
        const draft = await draftOf(request.path);
        present(draft);
        check(draft, request.expect);
        draft.now = null;
        return;
      }
    }
  };

  try {
    for (const request of requests) await one(request);
  } catch (error) {
    if (error instanceof PlanStop) return error.problem;
    throw error;
  }
  const changes: PlannedChange[] = [];
  for (const draft of drafts.values()) {
    const before = hashOf(draft.old);
    const after = hashOf(draft.now);
    if (before === after && (draft.oldMode === undefined || draft.mode === draft.oldMode)) continue;
    const operation = draft.moved ? "move" : before === null ? "create" : after === null ? "delete" : "modify";
    changes.push({
      path: draft.path,
      absolute: draft.absolute,
      operation,
      before,
      after,
      mode: draft.mode,
      oldBytes: draft.old,
      newBytes: draft.now,
      notes: draft.notes,
    });
  }
  return { kind: "plan", changes };
}
