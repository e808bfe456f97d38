/**
 * What a task has changed so far, as one unified diff: the content kept before its first change against the one kept
 * after its last, whatever happened to the file since. The task itself is shown the files as they are now.
 */
import type { BlobRef, Blobs } from "../journal/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { readTaskEvent, type JournalEvent } from "../protocol/events/index.ts";
import { withChanges, type ChangedFile } from "./task-files.ts";
import type { TaskState } from "./task-state.ts";
import { hunksOf, type FileDiff } from "./context/diff-section.ts";

const MAX_FILES = 20;

export interface DiffParts {
  workspace: Workspace;
  blobs: Blobs;
}

async function kept({ blobs }: DiffParts, hash: string | null): Promise<Uint8Array | null | undefined> {
  if (hash === null) return null;
  const ref: BlobRef = `blob:sha256:${hash}`;
  return (await blobs.has(ref)) ? blobs.get(ref) : undefined;
}

interface Diff {
  text: string;
  truncated: boolean;
}

/** What one step changed, as its events tell. */
export function stepDiff(parts: DiffParts, events: readonly JournalEvent[], step: number): Promise<Diff> {
  const files = events.flatMap(({ type, payload }) => {
    const event = readTaskEvent(type, payload);
    return event?.type === "task.acted" && event.payload.step === step ? event.payload.files : [];
  });
  return filesDiff(parts, withChanges({}, files, step), "kept");
}

async function diffOfFile(
  parts: DiffParts,
  path: string,
  { before, after, mode, newMode }: ChangedFile,
  against: "kept" | "now",
): Promise<string | undefined> {
  const was = await kept(parts, before);
  // Earlier versions did not keep what came after; then only the file itself can say.
  const is = against === "now" ? undefined : await kept(parts, after);
  const diff = was === undefined ? undefined : await parts.workspace.files.diffFrom(path, was, is);
  if (diff === undefined || mode === undefined || newMode === undefined) return diff;
  return `${path}: permissions ${mode.toString(8)} → ${newMode.toString(8)}\n${diff}`;
}

export async function filesDiff(parts: DiffParts, files: TaskState["changedFiles"], against: "kept" | "now"): Promise<Diff> {
  const changed = Object.entries(files);
  const shown: string[] = [];
  for (const [path, change] of changed.slice(0, MAX_FILES))
    shown.push((await diffOfFile(parts, path, change, against)) ?? `${path}: changed, too large or not text\n`);
  if (changed.length > MAX_FILES) shown.push(`and ${changed.length - MAX_FILES} more files\n`);
  return { text: shown.join("").trimEnd(), truncated: changed.length > MAX_FILES };
}

/** The newest changes, file by file, as the files are now. */
export async function changedHunks(parts: DiffParts, state: TaskState): Promise<FileDiff[]> {
  const newest = Object.entries(state.changedFiles).toSorted(([, a], [, b]) => b.step - a.step);
  return Promise.all(
    newest.map(async ([path, change], i): Promise<FileDiff> => {
      const diff = i < MAX_FILES ? await diffOfFile(parts, path, change, "now") : undefined;
      return { path, step: change.step, ...hunksOf(diff ?? "") };
    }),
  );
}
