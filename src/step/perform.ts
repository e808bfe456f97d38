/**
 * Does what a step wants done, exactly once (CTX-020). Before a change its intent is in the journal
 * with the files' hashes before and after; when a restart finds an intent without a result, the
 * files themselves say whether it happened.
 */
import { canonicalJson, sha256 } from "../kernel/index.ts";
import type { BlobRef } from "../journal/index.ts";
import type { FileRequest } from "../workspace/index.ts";
import type { Action, ActionContext, ActionResult } from "./actions/action.ts";
import { applyRequests, changedResult, describeProblem, recorded } from "./actions/write-actions.ts";
import type { RecordedChange } from "./task-events.ts";

export type Intent = { kind: "files"; files: RecordedChange[] } | { kind: "refused"; result: ActionResult };

/** Works out what a change would do, without doing it. */
export async function planIntent(action: Action, args: unknown, context: ActionContext): Promise<Intent> {
  if (action.requests === undefined) return { kind: "files", files: [] };
  const preview = await context.workspace.files.preview(action.requests(args));
  if (preview.kind === "planned") return { kind: "files", files: recorded(preview.changes) };
  return { kind: "refused", result: { ok: false, outcome: preview.kind, summary: describeProblem(preview) } };
}

function pathsOf(request: FileRequest): string[] {
  return request.kind === "move" ? [request.from, request.to] : [request.path];
}

/** Content before a change was kept under its own hash before the change was made. */
async function withSnapshots(files: readonly RecordedChange[], { blobs }: ActionContext): Promise<RecordedChange[]> {
  return Promise.all(
    files.map(async (file) => {
      const snapshot = `blob:sha256:${file.before}` as BlobRef;
      return file.before !== null && (await blobs.has(snapshot)) ? { ...file, snapshot } : file;
    }),
  );
}

/** Finishes a change that may have been interrupted. */
export async function settleIntent(action: Action, args: unknown, files: RecordedChange[], context: ActionContext): Promise<ActionResult> {
  const requests = action.requests?.(args) ?? [];
  await context.workspace.files.sweep(files.map((file) => file.path));
  const now = new Map<string, string | null | undefined>();
  for (const file of files) now.set(file.path, await context.workspace.files.hash(file.path));
  const done = files.filter((file) => now.get(file.path) === file.after);
  const undone = files.filter((file) => now.get(file.path) === file.before);
  if (done.length === files.length) return changedResult(requests, await withSnapshots(files, context), context);
  if (done.length + undone.length < files.length) {
    return {
      ok: false,
      outcome: "stale",
      summary: `${files.map((file) => file.path).join(", ")}: changed by someone else while this step was interrupted; read again`,
    };
  }
  const open = new Set(undone.map((file) => file.path));
  const rest = done.length === 0 ? requests : requests.filter((request) => pathsOf(request).some((path) => open.has(path)));
  const result = await applyRequests(rest, context);
  return result.ok ? changedResult(requests, await withSnapshots(files, context), context) : result;
}

/** What makes two actions, or two results, the same. */
export function signatureOf(action: Action, args: unknown): string {
  return sha256(`${action.name}${canonicalJson(args ?? {})}`).slice(0, 16);
}
