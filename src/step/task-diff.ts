/** What a task has changed so far, as one unified diff: the content kept before its first change against the files now. */
import type { BlobRef, Blobs } from "../journal/index.ts";
import { unifiedDiff, type Workspace } from "../workspace/index.ts";
import type { TaskState } from "./task-state.ts";

const MAX_FILES = 20;
const MAX_LINES = 4_000;

export interface DiffParts {
  workspace: Workspace;
  blobs: Blobs;
  redact(text: string): string;
  signal: AbortSignal;
}

/** Undefined when it cannot be shown as text. */
async function before(parts: DiffParts, hash: string | null): Promise<string | undefined> {
  if (hash === null) return "";
  const ref = `blob:sha256:${hash}` as BlobRef;
  if (!(await parts.blobs.has(ref))) return undefined;
  const text = Buffer.from(await parts.blobs.get(ref)).toString("utf8");
  return text.includes("\0") ? undefined : parts.redact(text.replaceAll("\r\n", "\n"));
}

async function now(parts: DiffParts, path: string, hash: string | null): Promise<string | undefined> {
  if (hash === null) return "";
  const read = await parts.workspace.files.read({ path, maxLines: MAX_LINES, signal: parts.signal });
  if (read.kind === "not_found") return "";
  if (read.kind !== "text" || read.nextLine !== undefined) return undefined;
  return read.lines.map((line) => `${line.text}\n`).join("");
}

export async function taskDiff(parts: DiffParts, state: TaskState): Promise<string> {
  const changed = Object.entries(state.changedFiles);
  const shown: string[] = [];
  for (const [path, { before: old, after }] of changed.slice(0, MAX_FILES)) {
    const [was, is] = [await before(parts, old), await now(parts, path, after)];
    if (was === undefined || is === undefined) shown.push(`${path}: changed, too large or not text\n`);
    else
      shown.push(
        unifiedDiff(was, is, { before: old === null ? "/dev/null" : `a/${path}`, after: after === null ? "/dev/null" : `b/${path}` }),
      );
  }
  if (changed.length > MAX_FILES) shown.push(`and ${changed.length - MAX_FILES} more files\n`);
  return shown.join("").trimEnd();
}
