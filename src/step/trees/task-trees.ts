/**
 * What a user does with what a task changed: see it, merge it, take it back, throw it away. Making a work tree is
 * a run of its own, the rest are pieces of the task's run; whoever dies over one, the next process finds out.
 */
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import {
  driveDue,
  driveRun,
  openRun,
  runView,
  type Run,
  type RunGround,
  type RunHandler,
  type RunState,
  type Store,
} from "../../journal/index.ts";
import { canonicalJson, newId, sha256, shortIds, SylkError, type Clock, type Json, must } from "../../kernel/index.ts";
import { keptRepository, type FileTrack, type NewWorkTree, type Repository, type SetUpTree, type WorkTree } from "../../workspace/index.ts";
import { STREAMS } from "../../protocol/events/index.ts";
import type { Place } from "../../protocol/index.ts";
import { filesDiff, stepDiff } from "../task-diff.ts";
import { withChanges } from "../task-files.ts";
import { taskListView } from "../task-list-view.ts";
import type { TaskState } from "../task-state.ts";
import { taskView } from "../task-view.ts";
import { discardTree, mergeTree, openByPerson, type MergeChoice, type MergeOutcome, type TreeHands, type TreeRun } from "./merge-tree.ts";
import { standingDiff } from "./standing-diff.ts";
import { createSharedTrees, type SharedTrees } from "./shared-trees.ts";
import { treeGone } from "./tree-in-place.ts";
import { undoTask, type UndoOptions, type UndoOutcome } from "./undo-task.ts";
import { PROJECT, placeFolder } from "../place-folder.ts";
import type { PlaceTrees } from "../place-trees.ts";

export interface TaskTrees extends PlaceTrees {
  /** What it changed: in its work tree as long as there is one, else as the journal tells; of one step always the latter. */
  diff(task: string, step: number | undefined, signal: AbortSignal): Promise<{ text: string; truncated: boolean }>;
  /** What was merged already, or begun by a process that died, is recognised. */
  merge(
    task: string,
    choice: MergeChoice | undefined,
    signal: AbortSignal,
    /** Files that are meant to go, as others know who did this work. */ deleted?: readonly string[],
  ): Promise<MergeOutcome>;
  /** Without `force`, work that was not merged is kept. */
  discard(
    task: string,
    options: { force: boolean },
  ): Promise<{ kind: "discarded" } | { kind: "already_gone" } | { kind: "kept"; changed: string[] }>;
  /** Brings back what was there before the task, or before its merge; `force` also over later changes. */
  undo(task: string, options: UndoOptions & { signal: AbortSignal }): Promise<UndoOutcome>;
  /** Makes a work tree and then what belongs to it; without the latter the tree goes too. */
  withNewTree<T>(make: (tree: WorkTree) => Promise<T>): Promise<T>;
  /** Trees in which several tasks work. */
  readonly shared: SharedTrees;
}

/** Trees of several tasks bear this name; whoever made them throws them away. */
const SHARED = "team_";
const isShared = (tree: string): boolean => tree.startsWith(SHARED);

export interface TaskTreeParts {
  projectDir: string;
  /** Where tasks have their readable folders. */
  tasksDir: string;
  /** Where work trees stand; outside the project. */
  stateDir: string;
  clock: Clock;
  /** Done once in each new tree, copies included: what a builder left in ignored folders says nothing to a judge. */
  setUp: () => { command: string | null; make: SetUpTree };
  redact: (text: string) => string;
  existing: () => Promise<Store | undefined>;
  store: () => Promise<Store>;
}

const TREE = "tree";
const treeKey = (id: string): string => `${TREE}/${id}`;
const worksIn = ({ place }: TaskState["created"], tree: string): boolean => place.kind === "tree" && place.tree === tree;

function noTree(id: string): SylkError {
  return new SylkError({
    code: "TASK_NO_WORK_TREE",
    tier: "user_fixable",
    message: `task ${id} has no work tree`,
    fix: "only tasks started with --worktree have one, until it is merged or discarded",
  });
}

/** Discarded it is no surprise; otherwise somebody else removed it. */
function lostTree({ created, tree, why }: TaskState): SylkError {
  if (tree === undefined) return noTree(created.id);
  if (!tree.discarded) return treeGone(created);
  const { id } = created;
  return new SylkError({
    code: "TASK_NO_WORK_TREE",
    tier: "user_fixable",
    message: `task ${id} has no work tree any more: ${why === "taken_back" ? "it went with its merge, which was taken back" : "it was discarded"}`,
    fix: `\`sylk task diff ${shortIds.shorten(id)}\` shows what it had changed; start it again to have that done anew`,
  });
}

function atWork(error: unknown, id: string): unknown {
  if (!SylkError.is(error, "RUN_TAKEN")) return error;
  return new SylkError({
    code: "TASK_RUNS",
    tier: "user_fixable",
    message: `task ${id} is at work`,
    fix: `wait for it, or \`sylk task pause ${id}\``,
    cause: error,
  });
}

export function createTaskTrees(parts: TaskTreeParts): TaskTrees {
  const { projectDir, tasksDir, stateDir, clock, setUp, redact } = parts;
  const setUpTree = (): SetUpTree | undefined => (setUp().command === null ? undefined : setUp().make);
  const repository = keptRepository({ root: projectDir, stateDir, clock, setUp: setUpTree });
  const groundOf = (store: Store): RunGround => ({ journal: store.journal, work: store.work, clock });
  const handsOf = ({ blobs, journal }: Store): TreeHands => ({ projectDir, tasksDir, clock, redact, blobs, journal });

  const load = async (id: string): Promise<{ store: Store; state: TaskState }> => {
    const store = await parts.existing();
    const state = await store?.journal.get(taskView, STREAMS.task(id));
    if (store === undefined || state === undefined)
      throw new SylkError({
        code: "TASK_NOT_FOUND",
        tier: "user_fixable",
        message: `there is no task ${id}`,
        fix: "`sylk task list` shows them",
      });
    return { store, state };
  };

  const treeOf = async ({ created }: TaskState): Promise<WorkTree | undefined> => {
    if (created.place.kind === "project") throw noTree(created.id);
    return (await repository()).workTree(created.place.tree);
  };

  /** One piece of the task's run, while nobody else works on the task, merges it or throws it away. */
  const inRun = async <T>(
    id: string,
    kind: string,
    signal: AbortSignal | undefined,
    work: (run: Run<TaskState>, hands: TreeHands) => Promise<T>,
  ): Promise<T> => {
    const { store } = await load(id);
    const results: T[] = [];
    const handler: RunHandler<TaskState> = {
      kind,
      view: taskView,
      async advance(run) {
        results.push(await work(run, handsOf(store)));
        return "done";
      },
    };
    try {
      await driveRun(groundOf(store), handler, STREAMS.task(id), { signal });
    } catch (error) {
      throw atWork(error, id);
    }
    return must(results[0]);
  };

  const withTree = <T>(id: string, kind: string, signal: AbortSignal | undefined, work: (task: TreeRun) => Promise<T>): Promise<T> =>
    inRun(id, kind, signal, async (run, hands) => work({ run, hands, tree: await treeOf(run.state) }));

  /** Thrown away by a process that died before it could say so, or by hand: what git remembers of it goes too. */
  const dropGone = async ({ tree, run }: TreeRun): Promise<void> => {
    if (tree === undefined && run.state.tree !== undefined) await (await repository()).dropWorkTree(run.state.tree.id);
  };

  /** A tree whose maker died: it stays when its task came to be, and goes otherwise. */
  const abandoned = (known: Repository, isUsed: (tree: string) => boolean): RunHandler<RunState> => ({
    kind: TREE,
    view: runView,
    async advance(run) {
      const id = run.id.slice(treeKey("").length);
      const used = isUsed(id);
      if (!used) await known.dropWorkTree(id, { changed: isCopy(run.state.input) ? "drop" : "keep" });
      await run.finish({ used });
      return "done";
    },
  });

  let swept = false;
  const sweep = async (store: Store, known: Repository, signal?: AbortSignal): Promise<void> => {
    const tasks = (await store.journal.list(taskListView, { prefix: "task/" })).map(({ state }) => state);
    const isUsed = (id: string): boolean => tasks.some(({ created }) => worksIn(created, id));
    await driveDue(groundOf(store), [abandoned(known, isUsed)], { signal });
    if (swept) return;
    swept = true;
    // Trees of earlier versions have no run, and no new ones come.
    const ours = await realpath(stateDir).catch(() => stateDir);
    for (const tree of await known.workTrees()) {
      const own = tree.path.startsWith(`${ours}${path.sep}`);
      if (own && !isShared(tree.id) && !isUsed(tree.id) && (await store.journal.head(treeKey(tree.id))) === 0) await tree.discard();
    }
  };

  const trackFor = async (place: Place): Promise<FileTrack> =>
    (await repository()).track(placeFolder(projectDir, place), place.kind === "tree" ? place.tree : undefined);

  return {
    shared: createSharedTrees({ repository, clock, redact, blobs: async () => (await parts.store()).blobs }),
    async diff(id, step, signal) {
      const { store, state } = await load(id);
      const { place } = state.created;
      if (step !== undefined) {
        await using workspace = openByPerson(handsOf(store), PROJECT, "the person looks");
        return await stepDiff({ workspace, blobs: store.blobs }, await store.journal.read(STREAMS.task(id)), step);
      }
      const tree = place.kind === "tree" && existsSync(place.folder) ? await treeOf(state) : undefined;
      if (tree === undefined) {
        await using workspace = openByPerson(handsOf(store), place.kind === "tree" ? PROJECT : place, "the person looks");
        // One that has not come to its end is shown as it stands, whatever is written down of it.
        if (state.status === "running" && place.kind === "project")
          return await standingDiff({ workspace, blobs: store.blobs, tasksDir, track: () => trackFor(place) }, state, signal);
        // Of one whose tree is gone, what its merge brought into the user's folder.
        const files = state.merged === undefined ? state.changedFiles : withChanges({}, state.merged.files, state.step);
        return await filesDiff({ workspace, blobs: store.blobs }, files, "kept");
      }
      return tree.diff({ signal });
    },
    merge: (id, choice, signal, deleted = []) =>
      withTree(id, "merge", signal, async (task) => {
        // Without a tree and not merged yet, what git remembers is all there is of the work.
        if (task.run.state.merged !== undefined) await dropGone(task);
        const outcome = await mergeTree(task, choice, deleted);
        if (outcome === undefined) throw lostTree(task.run.state);
        return outcome;
      }),
    discard: (id, options) =>
      withTree(id, "discard", undefined, async (task) => {
        await dropGone(task);
        if (task.tree === undefined && task.run.state.tree?.discarded === true) return { kind: "already_gone" as const };
        return discardTree(task, options);
      }),
    undo: (id, { signal, ...options }) =>
      inRun(id, "undo", signal, (run, hands) => {
        const { place } = run.state.created;
        if (place.kind === "tree" && run.state.merged === undefined)
          throw new SylkError({
            code: "TASK_HAS_WORK_TREE",
            tier: "user_fixable",
            message: `task ${id} worked in a tree of its own, and nothing of it is in your folder`,
            fix: existsSync(place.folder) ? `\`sylk task discard ${id}\` throws its work away` : "there is nothing to take back",
          });
        return undoTask(run, hands, options);
      }),
    async withNewTree(make) {
      const store = await parts.store();
      const ground = groundOf(store);
      const known = await repository();
      await sweep(store, known);
      const id = newId("work", clock.now());
      await openRun(ground, treeKey(id), TREE, { tree: id }, null);
      const made: Awaited<ReturnType<typeof make>>[] = [];
      const making: RunHandler<unknown> = {
        kind: TREE,
        view: runView,
        async advance(run) {
          const tree = await createIn(run, known, { id, signal: run.signal });
          try {
            made.push(await make(tree));
          } catch (error) {
            // The store may have kept the task and lost its answer: a tree that a fact names stays.
            const tasks = await store.journal.list(taskListView, { prefix: "task/" });
            const used = tasks.some(({ state }) => state.tree?.id === id);
            if (!used) await tree.discard({ force: true });
            await run.finish({ used });
            throw error;
          }
          await run.finish({ used: true });
          return "done";
        },
      };
      await driveRun(ground, making, treeKey(id), { kind: TREE });
      return must(made[0]);
    },
    trackFor,
    async stands(place, signal) {
      const known = await repository();
      const tree = place.kind === "tree" ? await known.workTree(place.tree) : undefined;
      if (place.kind === "tree" && tree === undefined) return undefined;
      const found = await known.stands(tree?.id, signal);
      if (found === undefined) return undefined;
      const inside = tree === undefined ? path.normalize(place.folder) : path.relative(tree.path, place.folder) || ".";
      return { name: sha256(canonicalJson([found.name, inside])), plain: found.plain, setUp: setUp().command };
    },
    async withCopy(place, signal, work) {
      const store = await parts.store();
      const ground = groundOf(store);
      const known = await repository();
      await sweep(store, known, signal);
      const from = place.kind === "project" ? undefined : must(await known.workTree(place.tree));
      const inside = from === undefined ? place.folder : path.relative(from.path, place.folder);
      const base = (await from?.snapshot("copy", signal))?.commit;
      const id = newId("work", clock.now());
      await openRun(ground, treeKey(id), TREE, { tree: id, copy: true }, null);
      const done: Awaited<ReturnType<typeof work>>[] = [];
      const copying: RunHandler<unknown> = {
        kind: TREE,
        view: runView,
        async advance(run) {
          try {
            const tree = await createIn(run, known, { id, base, apart: true, signal: run.signal });
            done.push(await work({ kind: "tree", tree: id, folder: path.join(tree.path, inside) }));
          } finally {
            await known.dropWorkTree(id, { changed: "drop" });
            await run.finish({ used: false });
          }
          return "done";
        },
      };
      await driveRun(ground, copying, treeKey(id), { kind: TREE, signal });
      return must(done[0]);
    },
  };
}

const isCopy = (input: Json): boolean => typeof input === "object" && input !== null && "copy" in input;

async function createIn(run: Run, known: Repository, wanted: NewWorkTree): Promise<WorkTree> {
  const { id } = wanted;
  const trees: WorkTree[] = [];
  await run.effect("create", {
    plan: () => Promise.resolve({ tree: id }),
    act: async () => {
      const tree = await known.createWorkTree(wanted);
      trees.push(tree);
      return { branch: tree.branch, base: tree.base };
    },
    // Only a new run makes a tree; what a dead one left is dropped.
    settle: () => Promise.resolve("unknown" as const),
  });
  return must(trees[0]);
}
