/**
 * What a task that has not come to its end changed so far, as its files stand now: also by the step it was stopped in,
 * whose result nobody wrote down yet.
 */
import path from "node:path";
import type { BlobRef, Blobs } from "../../journal/index.ts";
import { sha256 } from "../../kernel/index.ts";
import type { FileTrack, Workspace } from "../../workspace/index.ts";
import { recorded } from "../actions/write-actions.ts";
import { recordsOf } from "../step-run.ts";
import { filesDiff } from "../task-diff.ts";
import { changedSoFar, withChanges, type ChangedFiles } from "../task-files.ts";
import type { TaskState } from "../task-state.ts";

interface Parts {
  workspace: Workspace;
  blobs: Blobs;
  tasksDir: string;
  track: () => Promise<FileTrack>;
}

/** What is only looked at is not kept. */
function beside(blobs: Blobs): Blobs {
  const seen = new Map<BlobRef, Uint8Array>();
  return {
    ref: (data) => `blob:sha256:${sha256(data)}`,
    put(data) {
      const ref: BlobRef = `blob:sha256:${sha256(data)}`;
      seen.set(ref, typeof data === "string" ? Buffer.from(data) : data);
      return Promise.resolve(ref);
    },
    get: async (ref) => seen.get(ref) ?? (await blobs.get(ref)),
    has: async (ref) => seen.has(ref) || (await blobs.has(ref)),
  };
}

async function changedNow({ tasksDir, track }: Parts, state: TaskState, blobs: Blobs, signal: AbortSignal): Promise<ChangedFiles> {
  const { pending } = state;
  const known = changedSoFar(state);
  // Files that are known before are those of an edit; a command's are found by comparing.
  if (pending?.intended.some(({ files }) => files.length === 0) !== true) return known;
  const record = path.join(recordsOf({ tasksDir }, state.created.id), String(pending.step));
  const { files } = await (await track()).end(record, blobs, signal);
  return withChanges(known, recorded(files), pending.step);
}

export async function standingDiff(parts: Parts, state: TaskState, signal: AbortSignal): Promise<{ text: string; truncated: boolean }> {
  const blobs = beside(parts.blobs);
  return filesDiff({ workspace: parts.workspace, blobs }, await changedNow(parts, state, blobs, signal), "now");
}
