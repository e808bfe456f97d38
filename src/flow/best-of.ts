/**
 * A second try in several ways, one after the other, each in a tree of its own that begins where the first try ended. The
 * tests decide, those held out included: the fewest that fail, then the shortest change. The others are thrown away.
 */
import { must } from "../kernel/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { runBuilder, handIn } from "./build.ts";
import { fact } from "./gate.ts";
import { checkPlace, placeOf, taskOf } from "./judge.ts";
import { openTree, type FlowParts } from "./parts.ts";
import { beginPhase, heldTo, type Next, type Piece } from "./piece.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { commandChecks } from "./plan-commands.ts";
import { countLines } from "./review-text.ts";
import type { PhaseEnd } from "./run-phase.ts";
import { back, settle } from "./settle-phase.ts";
import { bestOf, dropWays, treeOfWay, WAYS } from "./ways.ts";

type Tried = Payload<"pipeline.way_tried">;

const BY = { actor: SYSTEM.engine };
/** Whether it was built once, and has tests that can tell which way is better. */
export function isInWays({ limits }: Pick<FlowParts, "limits">, { red, tried }: PipelineState): boolean {
  const builds = tried.filter((one) => one.phases_complete.includes("green")).length;
  return limits.secondTry === "best_of" && builds === 1 && red !== undefined && red.visible.length + red.held_out.length > 0;
}

/** What its tests say of one way. */
async function judged(piece: Piece, way: number, done: Extract<PhaseEnd, { kind: "complete" }>): Promise<Tried> {
  const { parts, run, tree } = piece;
  const { opened, red, synced } = run.state;
  const { commit, setBack } = await handIn(piece);
  const { created } = await taskOf(parts, done.task.created.id);
  const { fresh } = await checkPlace(parts, placeOf(tree), {
    as: created,
    checks: [...must(red).checks, ...commandChecks(opened.assertions, opened.allowed)],
    put: must(red).held_out,
    before: heldTo(piece).before,
    signal: run.signal,
  });
  const { added, removed } = countLines(await tree.fileDiffs({ since: synced, signal: run.signal }));
  const { verified, report = "" } = done.task;
  return { way, commit, failing: fresh, lines: added + removed, tests_set_back: setBack, verified, report };
}

const failed = (way: number, report: string): Tried => ({
  way,
  failing: [],
  lines: 0,
  tests_set_back: [],
  verified: false,
  report,
});

/** The next way; what stops all of them is given back. */
async function tryWay(piece: Piece, way: number): Promise<Next> {
  const { parts, run } = piece;
  const base = run.state.commit ?? run.state.synced;
  const tree = await openTree(parts, treeOfWay(piece.tree.id, way), base, run.signal);
  const apart = { ...piece, tree };
  const ran = await runBuilder(apart, await beginPhase(piece, "green", { way }), WAYS[way - 1]);
  // Without money for more, what was tried so far decides.
  const isOver = ran.kind === "spent" && run.state.ways.some(({ commit }) => commit !== undefined);
  if (isOver) return choose(piece);
  const settled = await settle(piece, ran);
  if ("next" in settled) return settled.next;
  const { done } = settled;
  await run.append(EVENTS.pipeline.wayTried.create(done.kind === "complete" ? await judged(apart, way, done) : failed(way, done.why), BY));
  return "again";
}

async function choose(piece: Piece): Promise<Next> {
  const { parts, run, tree } = piece;
  const best = bestOf(run.state.ways);
  if (best?.commit === undefined) {
    await dropWays(parts, tree.id);
    return back(piece, "not_done", [fact(`None of ${run.state.ways.length} ways was finished: ${run.state.ways.at(-1)?.report ?? ""}`)]);
  }
  await run.mustOwn();
  await tree.restore(best.commit, run.signal);
  const commit = await parts.trees.commit(tree, `${run.state.opened.node.id}: built`);
  // What each of them built stays reachable.
  await dropWays(parts, tree.id);
  const { verified, report, tests_set_back: setBack, way } = best;
  await run.append(
    EVENTS.pipeline.handedOver.create({ phase: "green", commit, verified, report, tests_set_back: setBack, kept_way: way }, BY),
  );
  return "again";
}

export async function buildInWays(piece: Piece): Promise<Next> {
  const next = piece.run.state.ways.length + 1;
  return next > WAYS.length ? choose(piece) : tryWay(piece, next);
}
