/**
 * Two pieces at work that change the same definition, seen in their trees long before either is merged. The later one rests
 * at once, is told why, takes in what the earlier one merged, and goes on. Looked for where work is handed over.
 */
import { changedSymbols } from "../code/index.ts";
import type { Run } from "../journal/index.ts";
import { EVENTS, STREAMS, SYSTEM, type NewEvent } from "../protocol/events/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import type { FlowParts } from "./parts.ts";
import { runningTasks } from "./piece-signals.ts";
import type { Next, Piece } from "./piece.ts";
import { isAtWork, isTryingWays, pipelineView, type PipelineState } from "./pipeline-state.ts";
import { pipelinesOf } from "./request-hands.ts";
import { tellParent } from "./take-answer.ts";

const BY = { actor: SYSTEM.engine };
const MOST_NAMED = 10;

interface Side {
  tree: WorkTree;
  since: string;
}

async function namesIn(tree: WorkTree, { path, status, oldBlob, newBlob }: Awaited<ReturnType<WorkTree["changes"]>>[number]) {
  const text = async (blob: string): Promise<string> => (await tree.content(blob)).toString("utf8");
  const [before, after] = [status === "added" ? "" : await text(oldBlob), status === "deleted" ? "" : await text(newBlob)];
  return changedSymbols(path, before, after);
}

/** Definitions that both change, with their files. */
async function inBoth(one: Side, other: Side, signal: AbortSignal): Promise<string[]> {
  const [mine, theirs] = await Promise.all([one, other].map(({ tree, since }) => tree.changes(signal, since)));
  const found: string[] = [];
  for (const change of mine ?? []) {
    const same = theirs?.find(({ path }) => path === change.path);
    if (same === undefined) continue;
    const names = new Set(await namesIn(other.tree, same));
    found.push(...(await namesIn(one.tree, change)).filter((name) => names.has(name)).map((name) => `${name} in ${change.path}`));
  }
  return found.slice(0, MOST_NAMED);
}

/** The other pieces of its request that are at work: those the plan names before it, and those after. */
async function othersOf({ parts, request, run }: Piece): Promise<{ earlier: PipelineState[]; later: PipelineState[] }> {
  const known = await pipelinesOf(parts, request);
  const order = request.nodes.map(({ id }) => id);
  const own = order.indexOf(run.state.opened.node.id);
  const others = [...known.values()].filter(
    (piece) => piece.opened.id !== run.state.opened.id && isAtWork(piece) && piece.tree !== undefined,
  );
  const isBefore = ({ opened }: PipelineState): boolean => order.indexOf(opened.node.id) < own;
  return { earlier: others.filter(isBefore), later: others.filter((piece) => !isBefore(piece)) };
}

async function shared({ parts, run, tree }: Piece, { tree: id, synced }: PipelineState): Promise<string[]> {
  const other = id === undefined ? undefined : await parts.trees.find(id).catch(() => undefined);
  if (id === undefined || other === undefined) return [];
  try {
    return await inBoth({ tree, since: run.state.synced }, { tree: other, since: synced }, run.signal);
  } catch (error) {
    // Merged and thrown away while it was looked at: nothing of it is in the way any more.
    if ((await parts.trees.find(id).catch(() => undefined)) === undefined) return [];
    throw error;
  }
}

const heldBy = ({ opened }: PipelineState, symbols: string[]): NewEvent =>
  EVENTS.pipeline.held.create({ by: opened.node.id, pipeline: opened.id, symbols }, BY);

/** It rests where an earlier piece changes the same; undefined: none does. */
export async function restForEarlier(piece: Piece): Promise<Next | undefined> {
  for (const other of (await othersOf(piece)).earlier) {
    const symbols = await shared(piece, other);
    if (symbols.length === 0) continue;
    await piece.run.append(heldBy(other, symbols));
    await tellParent(piece.parts, piece.run.state);
    return "again";
  }
  return undefined;
}

/** What it has built is known now: later pieces that are still building on the same stop. */
export async function stopLater(piece: Piece): Promise<void> {
  const { parts, run } = piece;
  for (const other of (await othersOf(piece)).later) {
    if (other.phase?.phase !== "green" || other.built || isTryingWays(other)) continue;
    const symbols = await shared(piece, other);
    if (symbols.length === 0) continue;
    await parts.store.journal.append(STREAMS.pipeline(other.opened.id), "any", [heldBy(run.state, symbols)]);
    for (const task of await runningTasks(parts, other))
      await parts.tasks.pause(task.created.id, {
        actor: SYSTEM.engine,
        reason: `${run.state.opened.node.id} changes ${symbols.join(", ")} too`,
      });
    await tellParent(parts, other);
  }
}

/** Until the earlier piece is through, or rests itself. */
export async function whileHeld({ store }: Pick<FlowParts, "store">, run: Run<PipelineState>, by: string): Promise<Next> {
  const stream = STREAMS.pipeline(by);
  // Measured first, so that its end is not slept through.
  const after = await store.journal.head(stream);
  const other = await store.journal.get(pipelineView, stream);
  if (other !== undefined && isAtWork(other)) return { wait: { stream, after } };
  await run.append(EVENTS.pipeline.released.create({ merged: other?.merged !== undefined }, BY));
  return "again";
}
