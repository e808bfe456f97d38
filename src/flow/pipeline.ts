/**
 * One piece of a plan as a run: tests that fail, the work that makes them pass, what others merged meanwhile, a judgement,
 * the merge. Each advance is one of these, chosen by what the journal says; killed anywhere, the next one goes on.
 */
import type { Run, RunHandler } from "../journal/index.ts";
import { isAbort, messageOf, must, SylkError } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM } from "../protocol/events/index.ts";
import { whileAmending } from "./amend.ts";
import { ask } from "./ask-about-piece.ts";
import { whileUnmeasured } from "./baseline.ts";
import { mergeInto, rebase } from "./bring-together.ts";
import { buildInWays, isInWays } from "./best-of.ts";
import { build } from "./build.ts";
import { fact } from "./gate.ts";
import { judgePiece } from "./judge-piece.ts";
import { restForEarlier, stopLater, whileHeld } from "./overlap.ts";
import { kindOf, openTree, type FlowParts } from "./parts.ts";
import { acknowledging, obey, whilePieceRests } from "./piece-signals.ts";
import { end, type Next, type Piece } from "./piece.ts";
import { isTryingWays, pipelineView, type PipelineState } from "./pipeline-state.ts";
import { reconcile } from "./reconcile.ts";
import { requestView } from "./request-state.ts";
import { openQuestion, stopTask, whilePaused } from "./run-phase.ts";
import { back } from "./settle-phase.ts";
import { takeAnswer, tellParent } from "./take-answer.ts";
import { weighTest } from "./weigh-test.ts";
import { writeTests } from "./write-tests.ts";

const BY = { actor: SYSTEM.engine };

/** What others merged since comes first; undefined: nothing did. */
async function takeIn(piece: Piece): Promise<Next | undefined> {
  const { parts, run, tree, common } = piece;
  const current = await rebase(parts, run, tree, common);
  if (current === "current") return undefined;
  return current === "moved" ? "again" : ask(piece, "conflict", `what others merged could not be taken in: ${current.refused}`);
}

async function merge(piece: Piece): Promise<Next> {
  const { parts, run, tree, common } = piece;
  const done = await mergeInto(parts, run, tree, common);
  if (done === "merged") return "again";
  return done === "moved" ? ((await takeIn(piece)) ?? "again") : ask(piece, "conflict", `it could not be merged: ${done.refused}`);
}

/** One piece of its way, by where it stands. */
async function advance(parts: FlowParts, request: string, run: Run<PipelineState>): Promise<Next> {
  const { state } = run;
  if (state.ended !== undefined) {
    await tellParent(parts, state);
    return "done";
  }
  const told = (await obey(parts, run)) ?? (await whilePieceRests(parts, run.id));
  if (told !== undefined) return told;
  if (state.waits !== undefined) return takeAnswer(parts, run);
  // Merged, or in the middle of it, it is through: what the common tree holds cannot be left out any more.
  if (state.late !== undefined && state.merging === undefined && state.merged === undefined) {
    const task = state.phase?.task;
    if (task !== undefined) await stopTask(parts, task, state.late);
    return ask({ parts, run }, "late", state.late);
  }
  const paused = await whilePaused(parts, request);
  if (paused === "ended") return end(run, "cancelled", "its request has ended");
  if (paused !== undefined) return paused;
  if (state.held !== undefined) return whileHeld(parts, run, state.held.pipeline);
  if (state.merged !== undefined) {
    // Whoever died over this left the tree whole, in part or not at all: it is not needed for anything any more.
    if (state.tree !== undefined) await parts.trees.discard(state.tree);
    return end(run, "merged", "");
  }
  const common = await parts.trees.find(state.opened.integration);
  if (state.tree === undefined) {
    const tree = parts.trees.idOf(state.opened.id);
    await run.append(EVENTS.pipeline.treeMade.create({ tree, synced: await common.head() }, BY));
    return "again";
  }
  const tree = await openTree(parts, state.tree, state.commit ?? state.synced, run.signal);
  const piece: Piece = { parts, request: must(await parts.store.journal.get(requestView, STREAMS.request(request))), run, tree, common };
  if (state.merging !== undefined) return merge(piece);
  if (state.contested !== undefined) return weighTest(piece);
  const unknown = state.red === undefined ? await whileUnmeasured(parts.store, request) : undefined;
  if (unknown !== undefined) return unknown;
  if (state.red === undefined && state.opened.assertions.some((one) => one.shown_by === "test")) return writeTests(piece);
  if (!state.built) {
    // Ways are compared on one state: none of them waits for others.
    const first = (state.behind ? await takeIn(piece) : undefined) ?? (isTryingWays(state) ? undefined : await restForEarlier(piece));
    return first ?? (isInWays(parts, state) ? buildInWays(piece) : build(piece));
  }
  if (state.disputed.length > 0) return reconcile(piece);
  const next = (state.judged === undefined ? await restForEarlier(piece) : undefined) ?? (await takeIn(piece));
  if (next !== undefined) return next;
  await stopLater(piece);
  if (state.judged?.commit !== (await tree.head()) || !state.judged.passed) return judgePiece(piece);
  return (await whileAmending(parts.store, request)) ?? merge(piece);
}

/** Whoever has the piece, or the record itself, is not there: nothing can be said of the work. */
const isOfTheGround = (error: unknown): boolean => SylkError.is(error) && /^(?:STORE|JOURNAL|RUN)_/u.test(error.code);

/** Something nobody foresaw is this piece's failure like any other, and nobody else's. */
async function broke(parts: FlowParts, run: Run<PipelineState>, error: unknown): Promise<Next> {
  const { opened, ended, phase } = run.state;
  if (run.signal.aborted || isAbort(error) || isOfTheGround(error) || ended !== undefined) throw error;
  parts.log.warn("a piece broke off", { piece: opened.node.id, pipeline: opened.id, error: messageOf(error) });
  if (phase !== undefined) await stopTask(parts, phase.task, "its piece broke off");
  const request = must(await parts.store.journal.get(requestView, STREAMS.request(opened.request)));
  return back({ parts, request, run }, "not_done", [fact(`It broke off: ${messageOf(error)}`)], { tier: "transient" });
}

export function pipelineHandler(parts: FlowParts, request: string): RunHandler<PipelineState> {
  return {
    kind: kindOf(request),
    view: pipelineView,
    mayGoOn: ({ ended }) => ended?.how !== "cancelled",
    turn: ({ lates, cancels }) => lates + cancels,
    async advance(run) {
      try {
        return await parts.seats.with(request, run.signal, () => acknowledging(parts, run, () => advance(parts, request, run)));
      } catch (error) {
        if (SylkError.is(error, "DEADLINE_PASSED") && !run.signal.aborted) return ask({ parts, run }, "late", error.message);
        if (SylkError.is(error, "WORKTREE_SETUP_FAILED")) return ask({ parts, run }, "setup", error.message);
        const asked = await openQuestion(parts, error);
        if (asked === undefined) return broke(parts, run, error);
        await run.append(EVENTS.pipeline.waits.create({ why: "task_asks", question: asked.id, text: asked.text }, BY));
        return "again";
      }
    },
  };
}
