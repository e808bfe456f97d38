/**
 * Tasks in a work tree of their own: the tree is made when the task is created; the person looks at
 * the difference, merges it into the project's folder, or throws it away. Merging is the person's act.
 */
import path from "node:path";
import { openAudit } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import { newId, SylkError, type Clock, type Dirs, type ProjectDirs } from "../kernel/index.ts";
import { taskView, type TaskState } from "../step/index.ts";
import { openRepository, openWorkspace, type MergeConflict, type Repository, type Resolution, type WorkTree } from "../workspace/index.ts";
import { USER, taskStream } from "../protocol/events/index.ts";

export type MergeOutcome =
  | { kind: "merged"; files: { path: string; how: string }[]; /** Edits of both sides were combined: check again. */ combined: boolean }
  | { kind: "nothing_to_merge" }
  | { kind: "conflicts"; conflicts: Pick<MergeConflict, "path" | "reason" | "marked">[]; clean: string[] }
  | { kind: "refused"; path: string; reason: string };

/** For every disputed file: the project's version, or the task's. */
export type MergeChoice = "mine" | "task";

export interface WorkTreeApi {
  diff(task: string, signal: AbortSignal): Promise<{ text: string; truncated: boolean }>;
  merge(task: string, choice: MergeChoice | undefined, signal: AbortSignal): Promise<MergeOutcome>;
  /** Without `force`, work that was not merged is kept. */
  discard(task: string, options: { force: boolean }): Promise<{ kind: "discarded" } | { kind: "kept"; changed: string[] }>;
}

export interface WorkTreeParts {
  dirs: Dirs;
  project: ProjectDirs;
  clock: Clock;
  redact: (text: string) => string;
  existing: () => Promise<Store | undefined>;
}

const AT_REST: readonly TaskState["status"][] = ["complete", "failed", "cancelled"];

export function createWorkTrees(parts: WorkTreeParts): { api: WorkTreeApi; create(): Promise<WorkTree> } {
  const { project, clock } = parts;
  const repository = (): Promise<Repository> =>
    openRepository({
      root: project.project,
      stateDir: path.join(project.private, "work"),
      clock,
    });

  const find = async (id: string): Promise<{ store: Store; state: TaskState; tree: WorkTree }> => {
    const store = await parts.existing();
    const state = await store?.journal.get(taskView, taskStream(id));
    const root = state?.created.root;
    const tree =
      root === undefined || !path.isAbsolute(root)
        ? undefined
        : (await (await repository()).workTrees()).find((one) => root === one.path || root.startsWith(`${one.path}${path.sep}`));
    if (store === undefined || state === undefined || tree === undefined)
      throw new SylkError({
        code: "TASK_NO_WORK_TREE",
        tier: "user_fixable",
        message: `task ${id} has no work tree`,
        fix: "only tasks started with --worktree have one, until it is merged or discarded",
      });
    if (state.status === "running" && (await store.work.holder(taskStream(id))) !== undefined)
      throw new SylkError({
        code: "TASK_RUNS",
        tier: "user_fixable",
        message: `task ${id} is at work`,
        fix: `wait for it, or \`sylk task pause ${id}\``,
      });
    return { store, state, tree };
  };

  const api: WorkTreeApi = {
    diff: async (id, signal) => (await find(id)).tree.diff({ signal }),
    async merge(id, choice, signal) {
      const { store, state, tree } = await find(id);
      await using workspace = openWorkspace({
        root: project.project,
        gate: { decide: () => Promise.resolve({ kind: "allow", rule: "the person merges" }) },
        redact: parts.redact,
        clock,
        blobs: store.blobs,
      });
      let outcome = await workspace.merging.plan(tree, { signal });
      if (outcome.kind === "conflicts" && choice !== undefined) {
        const answer: Resolution = choice === "mine" ? "keep_theirs" : "take_ours";
        const resolutions = Object.fromEntries(outcome.conflicts.map((conflict) => [conflict.path, answer]));
        outcome = await workspace.merging.plan(tree, { resolutions, signal });
      }
      if (outcome.kind === "conflicts")
        return { ...outcome, conflicts: outcome.conflicts.map(({ path: file, reason, marked }) => ({ path: file, reason, marked })) };
      if (outcome.kind === "outside") return { kind: "refused", path: outcome.path, reason: outcome.reason };
      if (outcome.kind === "ready") {
        const { plan } = outcome;
        const files = plan.summary.map(({ path: file }) => file);
        const audit = openAudit({
          journal: store.journal,
          redact: parts.redact,
          actor: USER,
          sessionId: state.created.session,
          taskId: id,
        });
        await audit.record({
          category: "file",
          eventType: "work_merged",
          severity: "info",
          outcome: "allowed",
          action: "merge",
          target: files.join(", "),
          rule: "the person merges",
        });
        const written = await workspace.merging.apply(plan, signal);
        if (written.kind !== "changed" && written.kind !== "unchanged")
          return {
            kind: "refused",
            path: "path" in written ? written.path : project.project,
            reason: written.kind === "stale" ? "it was changed this very moment; merge again" : written.kind,
          };
        if (AT_REST.includes(state.status)) await tree.discard();
        return { kind: "merged", files: plan.summary, combined: plan.combined };
      }
      if (AT_REST.includes(state.status)) await tree.discard();
      return outcome;
    },
    async discard(id, { force }) {
      const { tree } = await find(id);
      const outcome = await tree.discard({ force });
      return outcome.kind === "discarded" ? { kind: "discarded" } : { kind: "kept", changed: outcome.changed };
    },
  };
  return { api, create: async () => (await repository()).createWorkTree({ id: newId("work", clock.now()) }) };
}
