/**
 * Does what a step wants done, exactly once (CTX-020). Before a change its intent is in the journal
 * with the files' hashes before and after and what they are to become; when a restart finds an intent
 * without a result, the files themselves say whether it happened.
 */
import { canonicalJson, sha256 } from "../kernel/index.ts";
import type { BlobRef } from "../journal/index.ts";
import type { FileRequest } from "../workspace/index.ts";
import type { Action, ActionContext, ActionResult } from "./actions/action.ts";
import { applyRequests, changedResult, describeProblem, recorded } from "./actions/write-actions.ts";
import type { RecordedChange } from "./task-facts.ts";

export type Intent = { kind: "files"; files: RecordedChange[] } | { kind: "refused"; result: ActionResult };

/** Works out what a change would do, without doing it. */
export async function planIntent(action: Action, args: unknown, context: ActionContext): Promise<Intent> {
  action.prepare?.(context);
  const requests = action.requests?.(args, context.state) ?? (await action.worksOut?.(args, context));
  if (requests === undefined) return { kind: "files", files: [] };
  if ("ok" in requests) return { kind: "refused", result: requests };
  const preview = await context.workspace.files.preview(requests, context.blobs);
  if (preview.kind === "planned") return { kind: "files", files: recorded(preview.changes) };
  const told = action.explain?.(args, preview, context);
  return { kind: "refused", result: (await told) ?? { ok: false, outcome: preview.kind, summary: describeProblem(preview) } };
}

/** Content before and after a change was kept under its own hash before the change was made. */
async function withSnapshots(files: readonly RecordedChange[], { blobs }: ActionContext): Promise<RecordedChange[]> {
  return Promise.all(
    files.map(async (file) => {
      const snapshot: BlobRef = `blob:sha256:${file.before}`;
      const kept: BlobRef = `blob:sha256:${file.after}`;
      return {
        ...file,
        ...(file.before !== null && (await blobs.has(snapshot)) ? { snapshot } : {}),
        ...(file.after !== null && (await blobs.has(kept)) ? { kept } : {}),
      };
    }),
  );
}

/** Finishes a change that may have been interrupted. */
export async function settleIntent(action: Action, args: unknown, files: RecordedChange[], context: ActionContext): Promise<ActionResult> {
  const requests = action.requests?.(args, context.state) ?? [];
  await context.workspace.files.sweep(files.map((file) => file.path));
  const now = new Map<string, string | null | undefined>();
  for (const file of files) now.set(file.path, await context.workspace.files.hash(file.path));
  const done = files.filter((file) => now.get(file.path) === file.after);
  const undone = files.filter((file) => now.get(file.path) === file.before);
  if (done.length === files.length) return changedResult(requests, await withSnapshots(files, context), context);
  const foreign = files.filter((file) => !done.includes(file) && !undone.includes(file));
  if (foreign.length > 0) {
    // What did get written is recorded, so that it is verified and can be undone.
    return {
      ok: false,
      outcome: "stale",
      summary: `${foreign.map((file) => file.path).join(", ")}: changed by someone else while this step was interrupted; read again`,
      files: await withSnapshots(done, context),
    };
  }
  const result = await applyRequests(await Promise.all(undone.map((file) => asIntended(file, files, context))), context);
  return result.ok
    ? changedResult(requests, await withSnapshots(files, context), context)
    : { ...result, files: await withSnapshots(done, context) };
}

/** A file that still stands as before becomes what was intended, byte for byte. */
async function asIntended(file: RecordedChange, all: readonly RecordedChange[], { blobs }: ActionContext): Promise<FileRequest> {
  const { path, before, after } = file;
  if (after === null) return { kind: "delete", path, expect: before ?? undefined };
  // A file that is moved keeps its permissions.
  const mode = file.mode ?? all.find((one) => one.after === null && one.before === after)?.mode;
  return { kind: "restore", path, bytes: await blobs.get(`blob:sha256:${after}`), mode, expect: before };
}

/** What makes two actions, or two results, the same. */
export function signatureOf(action: Action, args: unknown): string {
  return sha256(`${action.name}${canonicalJson(args ?? {})}`).slice(0, 16);
}
