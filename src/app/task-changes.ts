/**
 * What a task changed in the person's own folder: seen as a diff, and taken back from the content that was kept
 * before each change. A file that was changed again since is left alone, and then nothing is taken back.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { openAudit } from "../guard/index.ts";
import type { BlobRef, Store } from "../journal/index.ts";
import { processHolder, SylkError, type Clock, type ProjectDirs } from "../kernel/index.ts";
import { taskDiff, taskView, withChanges, type TaskState } from "../step/index.ts";
import { openWorkspace, type FileRequest, type Workspace } from "../workspace/index.ts";
import type { WorkTreeApi } from "./work-tree-api.ts";
import { USER, taskEvents, taskStream } from "../protocol/events/index.ts";

export type UndoOutcome =
  /** `commands`: how many commands the task ran; what they changed is not known and not taken back. */
  | { kind: "undone"; files: string[]; dry_run: boolean; commands: number }
  | { kind: "nothing_to_undo" }
  | { kind: "changed_since"; files: string[]; commands: number }
  | { kind: "not_kept"; files: string[] };

export interface TaskChangesApi {
  /** In its work tree, when it has one. */
  diff(task: string, signal: AbortSignal): Promise<{ text: string; truncated: boolean }>;
  /** Brings back what was there before; `force` also over later changes. */
  undo(task: string, options: UndoOptions): Promise<UndoOutcome>;
}

export interface UndoOptions {
  dryRun: boolean;
  force: boolean;
  signal: AbortSignal;
}

const LEASE_MS = 60_000;

function commandsOf(state: TaskState): number {
  return state.history.flatMap((record) => record.actions).filter(({ action, ok }) => action === "run_command" && ok).length;
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

  const takeBack = async (store: Store, state: TaskState, { dryRun, force, signal }: UndoOptions): Promise<UndoOutcome> => {
    const { id } = state.created;
    const underWay = state.pending?.intended.flatMap((intent) => intent.files) ?? [];
    const changed = Object.entries(withChanges(state.changedFiles, underWay, state.step + 1));
    if (changed.length === 0) return { kind: "nothing_to_undo" };
    await using workspace = open(store, state);
    const requests: (FileRequest & { path: string })[] = [];
    const [since, lost]: [string[], string[]] = [[], []];
    for (const [file, { before, after, mode }] of changed) {
      const now = await workspace.files.hash(file);
      if (now === before) continue;
      if (now !== after && !force) since.push(file);
      else if (before === null) requests.push({ kind: "delete", path: file, expect: now ?? undefined });
      else {
        const ref = `blob:sha256:${before}` as BlobRef;
        if (await store.blobs.has(ref))
          requests.push({ kind: "restore", path: file, bytes: await store.blobs.get(ref), mode, expect: now ?? null });
        else lost.push(file);
      }
    }
    if (since.length > 0) return { kind: "changed_since", files: since, commands: commandsOf(state) };
    if (lost.length > 0) return { kind: "not_kept", files: lost };
    const files = changed.map(([file]) => file);
    const outcome: UndoOutcome = { kind: "undone", files, dry_run: dryRun, commands: commandsOf(state) };
    if (dryRun) return outcome;
    if (requests.length > 0) {
      await openAudit({ journal: store.journal, redact, actor: USER, sessionId: state.created.session, taskId: id }).record({
        category: "file",
        eventType: "task_undone",
        severity: "info",
        outcome: "allowed",
        action: "undo",
        target: files.join(", "),
        rule: "the person asks",
      });
      const written = await workspace.files.apply(requests, signal);
      if (written.kind !== "changed")
        throw new SylkError({
          code: "TASK_UNDO_FAILED",
          tier: "user_fixable",
          message: `nothing was taken back: ${written.kind}${"path" in written ? ` ${written.path}` : ""}`,
          fix: "try again; nothing was changed",
        });
    }
    // Also when the files stand as before already: an undo that was cut off is finished by the next.
    await store.journal.append(taskStream(id), "any", [taskEvents.undone.create({ files }, { actor: USER })]);
    return outcome;
  };

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
      return await taskDiff({ workspace, blobs: store.blobs }, state);
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
      const claim = await store.work.claim(taskStream(id), processHolder(), LEASE_MS);
      if (claim === undefined)
        throw new SylkError({
          code: "TASK_RUNS",
          tier: "user_fixable",
          message: `task ${id} is at work`,
          fix: `\`sylk task pause ${id}\` first`,
        });
      try {
        return await takeBack(store, (await load(id)).state, { dryRun, force, signal });
      } finally {
        await store.work.settle(claim);
      }
    },
  };
}
