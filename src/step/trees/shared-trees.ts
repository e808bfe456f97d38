/**
 * Work trees in which several tasks work one after the other, and what brings the work of one into another. Each is
 * known by an id that its owner chose and wrote down before, so that whoever takes the work up finds it, or makes it.
 */
import { SylkError, type Clock } from "../../kernel/index.ts";
import type { Blobs } from "../../journal/index.ts";
import { gateByRule, openWorkspace, type MergeConflict, type Repository, type Workspace, type WorkTree } from "../../workspace/index.ts";

export type Brought =
  | { kind: "brought"; files: { path: string; how: string }[] }
  /** Nothing was written. */
  | { kind: "conflicts"; conflicts: MergeConflict[] }
  | { kind: "refused"; why: string };

export interface SharedTrees {
  /** The id of the tree of a run: always the same, so that whoever died over it leaves nothing unknown. */
  idOf(run: string): string;
  /** Made when it is not there; `base`: a commit, the project as it stands when absent. */
  open(id: string, base: string | undefined, signal: AbortSignal): Promise<WorkTree>;
  /** The same for a tree apart: what is written there reaches no git object that others read, and it cannot be kept. */
  openApart(id: string, base: string, signal: AbortSignal): Promise<WorkTree>;
  /** Throws one away with all that is in it. */
  drop(id: string): Promise<void>;
  find(id: string): Promise<WorkTree>;
  /** What the project's files are now, as one name: equal where they are equal. */
  standing(signal: AbortSignal): Promise<string>;
  /** Everything in it as a commit on its branch; the last one when nothing was changed. */
  commit(tree: WorkTree, message: string): Promise<string>;
  /** What `from` changed since a commit, combined with what stands in `into`; all of it or nothing. */
  bring(from: WorkTree, since: string, into: WorkTree, how: { marked: boolean; signal: AbortSignal }): Promise<Brought>;
  /** Reads and writes in it, as the engine's own act. */
  hands(tree: WorkTree): Workspace;
  /** What is not kept elsewhere stays reachable under a ref. */
  discard(id: string): Promise<void>;
}

export interface SharedTreeParts {
  repository: () => Promise<Repository>;
  clock: Clock;
  redact: (text: string) => string;
  blobs: () => Promise<Blobs>;
}

export function createSharedTrees({ repository, clock, redact, blobs }: SharedTreeParts): SharedTrees {
  const look = async (id: string): Promise<WorkTree | undefined> => (await repository()).workTree(id);
  const hands = (tree: WorkTree): Workspace =>
    openWorkspace({ root: tree.path, gate: gateByRule("the engine merges", ["read", "write"]), redact, clock });
  return {
    idOf: (run) => `team_${run.slice(run.indexOf("_") + 1)}`,
    open: async (id, base, signal) => (await look(id)) ?? (await repository()).createWorkTree({ id, base, signal }),
    openApart: async (id, base, signal) => (await look(id)) ?? (await repository()).createWorkTree({ id, base, apart: true, signal }),
    drop: async (id) => (await repository()).dropWorkTree(id, { changed: "drop" }),
    standing: async (signal) => (await (await repository()).snapshot({ message: "as it stands", signal })).tree,
    async find(id) {
      const tree = await look(id);
      if (tree !== undefined) return tree;
      throw new SylkError({
        code: "WORKTREE_GONE",
        tier: "user_fixable",
        message: `the work tree ${id} is gone: somebody removed it, and what was not merged with it`,
        fix: "start the request again; what was merged before stays merged",
      });
    },
    async commit(tree, message) {
      const done = await tree.commit({ message });
      return done.kind === "committed" ? done.commit : tree.head();
    },
    async bring(from, since, into, { marked, signal }) {
      await using workspace = hands(into);
      // What is brought into another tree has not reached the user's folder.
      const work = { ...from, changes: (aborted?: AbortSignal) => from.changes(aborted, since), markMerged: () => Promise.resolve() };
      let planned = await workspace.merging.plan(work, { signal });
      // What has no text that could hold both sides is nobody's to decide here.
      if (planned.kind === "conflicts" && marked && planned.conflicts.every((one) => one.marked !== undefined)) {
        const resolutions = Object.fromEntries(planned.conflicts.map(({ path, marked: text = "" }) => [path, { content: text }]));
        planned = await workspace.merging.plan(work, { resolutions, signal });
      }
      if (planned.kind === "conflicts") return { kind: "conflicts", conflicts: planned.conflicts };
      if (planned.kind === "outside") return { kind: "refused", why: `${planned.path}: ${planned.reason}` };
      if (planned.kind === "nothing_to_merge") return { kind: "brought", files: [] };
      for (const { oldBytes } of planned.plan.changes) if (oldBytes !== null) await (await blobs()).put(oldBytes);
      const done = await workspace.merging.apply(planned.plan, signal);
      if (done.kind !== "changed" && done.kind !== "unchanged")
        return { kind: "refused", why: `${"path" in done ? done.path : "a file"}: ${done.kind}` };
      return { kind: "brought", files: planned.plan.summary.map(({ path, how }) => ({ path, how })) };
    },
    hands,
    async discard(id) {
      const tree = await look(id);
      if (tree === undefined) await (await repository()).dropWorkTree(id);
      else await tree.discard({ force: true });
    },
  };
}
