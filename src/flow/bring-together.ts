/**
 * How pieces of work meet. What others merged comes into a piece's own tree before it is judged; what was judged goes
 * into the common tree as it is. One at a time; cut off anywhere, the tree is set back to where it stood and done again.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { owning, type Run } from "../journal/index.ts";
import { newId, must } from "../kernel/index.ts";
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { placeOf, putFiles } from "./judge.ts";
import { groundOf, tooLate, type FlowParts } from "./parts.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { stopTask } from "./run-phase.ts";

const BY = { actor: SYSTEM.engine };

const integrationKey = (tree: string): string => `integration/${tree}`;

/** Sets a tree back to a commit, also where somebody died over it. */
async function setBack(run: Run<unknown>, tree: WorkTree, commit: string): Promise<void> {
  await run.mustOwn();
  await tree.restore(commit, run.signal);
}

/**
 * While nobody else changes the common tree, which stands at its last commit: what somebody left half done is gone.
 * Its turn is waited for so long and no longer; who has it is left to end.
 */
async function alone<T>(parts: FlowParts, run: Run<unknown>, common: WorkTree, work: () => Promise<T>): Promise<T> {
  const { clock, limits } = parts;
  const begun = new AbortController();
  const late = new AbortController();
  const watch = clock.sleep(limits.mergeMs, begun.signal).then(
    () => late.abort(tooLate("its turn to be merged did not come", limits.mergeMs, "team.merge_timeout")),
    () => undefined,
  );
  const signal = AbortSignal.any([run.signal, late.signal]);
  try {
    return await owning(groundOf(parts), integrationKey(common.id), { waits: true, signal }, async () => {
      begun.abort();
      return fromItsCommit(run, common, work);
    });
  } finally {
    begun.abort();
    await watch;
  }
}

async function fromItsCommit<T>(run: Run<unknown>, common: WorkTree, work: () => Promise<T>): Promise<T> {
  const head = await common.head();
  if ((await common.changes(run.signal, head)).length > 0) await setBack(run, common, head);
  return work();
}

/** Where a first try that is not done yet began: before it there is nothing but the tests. */
function startOfBuild({ built, red, commit, synced }: PipelineState): string | undefined {
  const start = red?.commit ?? synced;
  return !built && (commit ?? synced) === start ? start : undefined;
}

/** Takes in what others merged. Files that cannot be combined stand in the tree with marks, for the Reconciler. */
export async function rebase(
  parts: FlowParts,
  run: Run<PipelineState>,
  tree: WorkTree,
  common: WorkTree,
): Promise<"current" | "moved" | { refused: string }> {
  if ((await common.head()) === run.state.synced && run.state.rebasing === undefined) return "current";
  return alone(parts, run, common, async () => {
    const { state } = run;
    const onto = await common.head();
    const from = state.rebasing?.from ?? (await parts.trees.commit(tree, `${state.opened.node.id}: as built`));
    if (state.rebasing === undefined) await run.append(EVENTS.pipeline.rebasing.create({ onto, from }, BY));
    else await setBack(run, tree, from);
    await run.mustOwn();
    let clean = await parts.trees.bring(common, state.synced, tree, { marked: false, signal: run.signal });
    const start = clean.kind === "conflicts" ? startOfBuild(state) : undefined;
    if (start !== undefined) {
      if (state.phase !== undefined) await stopTask(parts, state.phase.task, "it is built anew on what was merged meanwhile");
      await setBack(run, tree, start);
      clean = await parts.trees.bring(common, state.synced, tree, { marked: false, signal: run.signal });
    }
    const disputed = clean.kind === "conflicts" ? clean.conflicts.map((one) => one.path) : [];
    const brought =
      clean.kind === "conflicts" ? await parts.trees.bring(common, state.synced, tree, { marked: true, signal: run.signal }) : clean;
    if (brought.kind !== "brought") return { refused: brought.kind === "refused" ? brought.why : disputed.join(", ") };
    const commit = await parts.trees.commit(tree, `${state.opened.node.id}: with what others merged`);
    await run.append(
      EVENTS.pipeline.rebased.create({ onto, commit, files: brought.files, disputed, ...(start === undefined ? {} : { anew: true }) }, BY),
    );
    return "moved";
  });
}

/** Written into the commit, so that whoever finds it knows whose work it is. */
const mark = (piece: string): string => `Sylk-Piece: ${piece}`;

/** Into the common tree, if nothing came there since the work was judged; else it takes that in first. */
export async function mergeInto(
  parts: FlowParts,
  run: Run<PipelineState>,
  tree: WorkTree,
  common: WorkTree,
): Promise<"merged" | "moved" | { refused: string }> {
  const { opened, synced, judged, red, merging: begun } = run.state;
  return alone(parts, run, common, async () => {
    const told = (commit: string, files: string[]): Promise<unknown> =>
      run.append(EVENTS.pipeline.merged.create({ commit, pinned: must(judged).commit, files }, BY));
    if (begun !== undefined) {
      const done = (await common.log(begun.before)).find(({ message }) => message.includes(mark(opened.id)));
      if (done !== undefined) {
        await told(
          done.commit,
          (await tree.changes(run.signal, synced)).map((change) => change.path),
        );
        return "merged";
      }
    }
    const before = await common.head();
    if (before !== synced) return "moved";
    await run.append(EVENTS.pipeline.merging.create({ before }, BY));
    await run.mustOwn();
    const taken = await takenNames(common, red?.held_out ?? []);
    if (taken.length > 0) return { refused: `${taken.join(", ")} was held out here, and another piece brought a file of that name` };
    const brought = await parts.trees.bring(tree, synced, common, { marked: false, signal: run.signal });
    if (brought.kind !== "brought") {
      await setBack(run, common, before);
      return { refused: brought.kind === "refused" ? brought.why : brought.conflicts.map((one) => one.path).join(", ") };
    }
    // Judged, the work no longer has to be kept from its tests.
    await putFiles(await parts.engine(), placeOf(common), red?.held_out ?? [], run.signal);
    const { id, title } = opened.node;
    const commit = await parts.trees.commit(common, `${id}: ${title}\n\n${mark(opened.id)}`);
    await told(
      commit,
      (await common.changes(run.signal, before)).map((change) => change.path),
    );
    return "merged";
  });
}

/** Held-out files whose name somebody else's file has by now. */
async function takenNames(common: WorkTree, held: readonly { path: string }[]): Promise<string[]> {
  return held.map((file) => file.path).filter((file) => existsSync(path.join(common.path, file)));
}

export const newTaskId = (parts: Pick<FlowParts, "clock">): string => newId("task", parts.clock.now());
