/**
 * Tasks in a work tree of their own: the tree is made when the task is created; the person looks at
 * the difference, merges it into the project's folder, or throws it away. Merging is the person's act.
 */
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { Claim, Store } from "../journal/index.ts";
import { newId, processHolder, SylkError, type Clock, type ProjectDirs } from "../kernel/index.ts";
import { taskView, type TaskState } from "../step/index.ts";
import { openRepository, type Repository, type WorkTree } from "../workspace/index.ts";
import { taskStream } from "../protocol/events/index.ts";
import { discardTree, mergeTree, type MergeChoice, type MergeOutcome } from "./merge-task.ts";

export interface WorkTreeApi {
  diff(task: string, signal: AbortSignal): Promise<{ text: string; truncated: boolean }>;
  /** What was merged already, or begun by a process that died, is recognised. */
  merge(task: string, choice: MergeChoice | undefined, signal: AbortSignal): Promise<MergeOutcome>;
  /** Without `force`, work that was not merged is kept. */
  discard(task: string, options: { force: boolean }): Promise<{ kind: "discarded" } | { kind: "kept"; changed: string[] }>;
}

export interface WorkTreeParts {
  project: ProjectDirs;
  clock: Clock;
  redact: (text: string) => string;
  existing: () => Promise<Store | undefined>;
  store: () => Promise<Store>;
}

export interface WorkTrees {
  api: WorkTreeApi;
  /** Makes a work tree and then what belongs to it; without the latter the tree goes too. */
  withNewTree<T>(make: (tree: WorkTree) => Promise<T>): Promise<T>;
}

/** Making a tree, or merging one, of a large project takes its time. A holder that died is not waited for. */
const LEASE_MS = 900_000;

const treeKey = (id: string): string => `tree/${id}`;

function noTree(id: string): SylkError {
  return new SylkError({
    code: "TASK_NO_WORK_TREE",
    tier: "user_fixable",
    message: `task ${id} has no work tree`,
    fix: "only tasks started with --worktree have one, until it is merged or discarded",
  });
}

export function createWorkTrees(parts: WorkTreeParts): WorkTrees {
  const { project, clock } = parts;
  const stateDir = path.join(project.private, "work");
  const repository = (): Promise<Repository> => openRepository({ root: project.project, stateDir, clock });

  const load = async (id: string): Promise<{ store: Store; state: TaskState; tree: WorkTree | undefined }> => {
    const store = await parts.existing();
    const state = await store?.journal.get(taskView, taskStream(id));
    const root = state?.created.root;
    if (store === undefined || state === undefined || root === undefined || !path.isAbsolute(root)) throw noTree(id);
    const tree = (await (await repository()).workTrees()).find((one) => root === one.path || root.startsWith(`${one.path}${path.sep}`));
    return { store, state, tree };
  };

  /** Nobody else works on the task, merges it or throws it away meanwhile. */
  const owned = async <T>(id: string, work: (store: Store, claim: Claim) => Promise<T>): Promise<T> => {
    const store = await parts.existing();
    if (store === undefined) throw noTree(id);
    const claim = await store.work.claim(taskStream(id), processHolder(), LEASE_MS);
    if (claim === undefined)
      throw new SylkError({
        code: "TASK_RUNS",
        tier: "user_fixable",
        message: `task ${id} is at work`,
        fix: `wait for it, or \`sylk task pause ${id}\``,
      });
    try {
      return await work(store, claim);
    } finally {
      await store.work.settle(claim);
    }
  };

  const api: WorkTreeApi = {
    async diff(id, signal) {
      const { tree } = await load(id);
      if (tree === undefined) throw noTree(id);
      return tree.diff({ signal });
    },
    merge: (id, choice, signal) =>
      owned(id, async (store, claim) => {
        const { state, tree } = await load(id);
        const outcome = await mergeTree({ ...parts, store, claim, state, tree }, choice, signal);
        if (outcome === undefined) throw noTree(id);
        return outcome;
      }),
    discard: (id, { force }) =>
      owned(id, async (store, claim) => {
        const { state, tree } = await load(id);
        // Thrown away by a process that died before it could say so, or by hand.
        if (tree === undefined && existsSync(state.created.root)) throw noTree(id);
        return discardTree({ store, claim, state, tree }, { force });
      }),
  };

  /** Trees made for tasks that never came to be: whoever made them is dead, and nothing in them is changed. */
  const sweep = async (store: Store, known: Repository): Promise<void> => {
    const roots = (await store.journal.list(taskView, { prefix: "task/" })).map(({ state }) => state.created.root);
    const ours = await realpath(stateDir).catch(() => stateDir);
    for (const tree of await known.workTrees()) {
      const own = tree.path.startsWith(`${ours}${path.sep}`);
      const used = roots.some((root) => root === tree.path || root.startsWith(`${tree.path}${path.sep}`));
      if (own && !used && (await store.work.holder(treeKey(tree.id))) === undefined) await tree.discard();
    }
  };

  return {
    api,
    async withNewTree(make) {
      const store = await parts.store();
      const known = await repository();
      await sweep(store, known);
      const id = newId("work", clock.now());
      const claim = await store.work.claim(treeKey(id), processHolder(), LEASE_MS);
      try {
        const tree = await known.createWorkTree({ id });
        try {
          return await make(tree);
        } catch (error) {
          await tree.discard({ force: true });
          throw error;
        }
      } finally {
        if (claim !== undefined) await store.work.settle(claim);
      }
    },
  };
}
