/**
 * What a task changed in the person's own folder: seen as a diff, and taken back from the content that was kept
 * before each change. A file that was changed again since is left alone, and then nothing is taken back.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { openAudit } from "../guard/index.ts";
import type { BlobRef, Store } from "../journal/index.ts";
import { SylkError, type Clock, type ProjectDirs } from "../kernel/index.ts";
import { taskDiff, taskStream, taskUndone, taskView, type TaskState } from "../step/index.ts";
import { openWorkspace, type FileRequest, type Workspace } from "../workspace/index.ts";
import type { WorkTreeApi } from "./work-tree-api.ts";

export type UndoOutcome =
  | { kind: "undone"; files: string[]; dry_run: boolean }
  | { kind: "nothing_to_undo" }
  | { kind: "changed_since"; files: string[] }
  | { kind: "not_kept"; files: string[] };

export interface TaskChangesApi {
  /** In its work tree, when it has one. */
  diff(task: string, signal: AbortSignal): Promise<{ text: string; truncated: boolean }>;
  /** Brings back what was there before; `force` also over later changes. */
  undo(task: string, options: { dryRun: boolean; force: boolean; signal: AbortSignal }): Promise<UndoOutcome>;
}

export interface TaskChangesParts {
  project: ProjectDirs;
  clock: Clock;
  redact: (text: string) => string;
  existing: () => Promise<Store | undefined>;
  trees: WorkTreeApi;
}

export function createTaskChanges(parts: TaskChangesParts): TaskChangesApi {
  const { project, clock, redact } = parts;

  const load = async (id: string): Promise<{ store: Store; state: TaskState }> => {
    const store = await parts.existing();
    const state = await store?.journal.get(taskView, taskStream(id));
    if (store === undefined || state === undefined)
      throw new SylkError({
        code: "TASK_NOT_FOUND",
        tier: "user_fixable",
        message: `there is no task ${id}`,
        fix: "`sylk task list` shows them",
      });
    return { store, state };
  };
  const open = (store: Store, state: TaskState): Workspace =>
    openWorkspace({
      root: path.resolve(project.project, state.created.root),
      gate: { decide: () => Promise.resolve({ kind: "allow", rule: "the person asks" }) },
      redact,
      clock,
      blobs: store.blobs,
    });

  return {
    async diff(id, signal) {
      const { store, state } = await load(id);
      if (path.isAbsolute(state.created.root) && !existsSync(state.created.root))
        throw new SylkError({
          code: "TASK_NO_WORK_TREE",
          tier: "user_fixable",
          message: `the work tree of task ${id} was merged or discarded`,
          fix: "`git diff` shows what came into your folder",
        });
      if (path.isAbsolute(state.created.root)) return parts.trees.diff(id, signal);
      await using workspace = open(store, state);
      return { text: await taskDiff({ workspace, blobs: store.blobs, redact, signal }, state), truncated: false };
    },
    async undo(id, { dryRun, force, signal }) {
      const { store, state } = await load(id);
      if (path.isAbsolute(state.created.root))
        throw new SylkError({
          code: "TASK_HAS_WORK_TREE",
          tier: "user_fixable",
          message: `task ${id} worked in a tree of its own`,
          fix: existsSync(state.created.root)
            ? `\`sylk task discard ${id}\` throws that away`
            : "it was merged or discarded already; `git diff` shows what came into your folder",
        });
      if (state.status === "running" && (await store.work.holder(taskStream(id))) !== undefined)
        throw new SylkError({
          code: "TASK_RUNS",
          tier: "user_fixable",
          message: `task ${id} is at work`,
          fix: `\`sylk task pause ${id}\` first`,
        });
      const changed = Object.entries(state.changedFiles);
      if (changed.length === 0) return { kind: "nothing_to_undo" };
      await using workspace = open(store, state);
      const requests: FileRequest[] = [];
      const [since, lost]: [string[], string[]] = [[], []];
      for (const [file, { before, after }] of changed) {
        const now = await workspace.files.hash(file);
        if (now === before) continue;
        if (now !== after && !force) since.push(file);
        else if (before === null) requests.push({ kind: "delete", path: file });
        else {
          const text = await keptText(store, before);
          if (text === undefined) lost.push(file);
          else requests.push({ kind: "write", path: file, content: text, expect: now ?? null });
        }
      }
      if (since.length > 0) return { kind: "changed_since", files: since };
      if (lost.length > 0) return { kind: "not_kept", files: lost };
      const files = requests.map((request) => (request as { path: string }).path);
      if (files.length === 0) return { kind: "nothing_to_undo" };
      if (dryRun) return { kind: "undone", files, dry_run: true };
      await openAudit({ journal: store.journal, redact, actor: "user", sessionId: id }).record({
        category: "file",
        eventType: "task_undone",
        severity: "info",
        outcome: "allowed",
        action: "undo",
        target: files.join(", "),
        rule: "the person asks",
      });
      const outcome = await workspace.files.apply(requests, signal);
      if (outcome.kind !== "changed")
        throw new SylkError({
          code: "TASK_UNDO_FAILED",
          tier: "user_fixable",
          message: `nothing was taken back: ${outcome.kind}${"path" in outcome ? ` ${outcome.path}` : ""}`,
          fix: "try again; nothing was changed",
        });
      await store.journal.append(taskStream(id), "any", [taskUndone.create({ files }, { actor: "user" })]);
      return { kind: "undone", files, dry_run: false };
    },
  };
}

/** Undefined when it was not kept, or is not text that can be written back byte for byte. */
async function keptText(store: Store, hash: string): Promise<string | undefined> {
  const ref = `blob:sha256:${hash}` as BlobRef;
  if (!(await store.blobs.has(ref))) return undefined;
  const bytes = Buffer.from(await store.blobs.get(ref));
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
