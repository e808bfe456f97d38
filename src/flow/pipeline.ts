/**
 * One piece of a plan as a run: tests that fail, the work that makes them pass, what others merged meanwhile, a judgement,
 * the merge. Each advance is one of these, chosen by what the journal says; killed anywhere, the next one goes on.
 */
import type { Run, RunHandler } from "../journal/index.ts";
import { must, SylkError } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM } from "../protocol/events/index.ts";
import { mergeInto, rebase } from "./bring-together.ts";
import { budgetOf, raiseBudget } from "./budget.ts";
import { build } from "./build.ts";
import { judgePiece } from "./judge-piece.ts";
import { kindOf, openTree, type FlowParts } from "./parts.ts";
import { fact } from "./gate.ts";
import { ask, end, returnedWith, type Next, type Piece } from "./piece.ts";
import { pipelineView, type PipelineState } from "./pipeline-state.ts";
import { reconcile, stillMarked } from "./reconcile.ts";
import { requestView, type RequestState } from "./request-state.ts";
import { heard, openQuestion, stopTask, whilePaused } from "./run-phase.ts";
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

const requestOf = async ({ store }: FlowParts, id: string): Promise<RequestState> =>
  must(await store.journal.get(requestView, STREAMS.request(id)));

/** The user finished it by hand: what stands in its tree is its work, and is judged like any other. */
async function takeOver(parts: FlowParts, run: Run<PipelineState>, words: string): Promise<Next> {
  const { opened, tree: id, disputed, waits } = run.state;
  const tree = await parts.trees.find(id ?? "");
  const marked = await stillMarked({ parts, tree }, disputed);
  await run.mustOwn();
  const commit = marked.length > 0 ? undefined : await parts.trees.commit(tree, `${opened.node.id}: by the user`);
  const answered = EVENTS.pipeline.answered.create({ choice: "take_over", words }, BY);
  const request = await requestOf(parts, opened.request);
  const returned = returnedWith({ parts, request, run }, [fact(waits?.text ?? "", "the user finished it", "user")]);
  if (commit === undefined) {
    await run.append(answered, returned);
    return ask({ parts, run }, "conflict", `${marked.join(", ")} still holds both sides`);
  }
  const phase = disputed.length > 0 ? "reconcile" : "green";
  await run.append(
    answered,
    returned,
    EVENTS.pipeline.handedOver.create({ phase, commit, verified: false, report: "finished by the user" }, BY),
  );
  return "again";
}

/** What the user chose; a task's own question is taken up by the task. */
async function takeAnswer(parts: FlowParts, run: Run<PipelineState>): Promise<Next> {
  const { waits, opened } = run.state;
  if (waits === undefined) return "again";
  const question = await parts.questions.get(waits.question);
  if (question?.status === "open" && waits.budget_usd !== undefined && ((await budgetOf(parts, opened.request)) ?? 0) > waits.budget_usd) {
    // Another piece was asked the same, and there is more to spend by now.
    await parts.questions.withdraw(question.id, "the budget was raised meanwhile", SYSTEM.engine);
    await run.append(EVENTS.pipeline.answered.create({ choice: "raise", words: "" }, BY));
    return "again";
  }
  if (question?.status === "open") {
    // Others may have its place meanwhile.
    await tellParent(parts, run.state);
    return { wait: { stream: STREAMS.question(question.asker.id, question.id), after: 1 } };
  }
  const answer = question?.answer;
  const words = answer?.kind === "chosen" ? (answer.words ?? "") : "";
  const choice =
    answer?.kind !== "chosen" || waits.why === "task_asks"
      ? "retry"
      : answer.value === "skip" || answer.value === "abort" || answer.value === "raise" || answer.value === "take_over"
        ? answer.value
        : "retry";
  if (choice === "retry" && words !== "" && question !== undefined && question !== null)
    await heard(parts, opened.request, { on: "piece", question: question.id, words });
  if (choice === "take_over") return takeOver(parts, run, words);
  if (choice === "raise") await raiseBudget(parts, opened.request, words);
  await run.append(EVENTS.pipeline.answered.create({ choice, words }, BY));
  // The same phase goes on where it stood.
  if (waits.why === "task_asks" || choice === "raise") return "again";
  if (choice === "retry") {
    // What may not be asked of a builder is not told to one either.
    const happened = waits.why === "blocked" ? "A review was not content." : waits.text;
    const told = fact([happened, ...(words === "" ? [] : [`The user says: ${words}`])].join("\n"), "", "user");
    await run.append(returnedWith({ parts, request: await requestOf(parts, opened.request), run }, [told]));
    return "again";
  }
  return end(
    run,
    choice === "skip" ? "skipped" : "aborted",
    words === "" ? `${opened.node.id} was ${choice === "skip" ? "left out" : "stopped"} by the user` : words,
  );
}

/** The parent looks again; told twice it looks twice. */
async function tellParent({ store }: FlowParts, { opened }: PipelineState): Promise<void> {
  const rested = EVENTS.request.rested.create({ node: opened.node.id, pipeline: opened.id }, BY);
  await store.journal.append(STREAMS.request(opened.request), "any", [rested]);
}

/** One piece of its way, by where it stands. */
async function advance(parts: FlowParts, request: string, run: Run<PipelineState>): Promise<Next> {
  const { state } = run;
  if (state.ended !== undefined) {
    await tellParent(parts, state);
    return "done";
  }
  if (state.waits !== undefined) return takeAnswer(parts, run);
  if (state.late !== undefined) {
    const task = state.phase?.task;
    if (task !== undefined) await stopTask(parts, task, state.late);
    return ask({ parts, run }, "late", state.late);
  }
  const paused = await whilePaused(parts, request);
  if (paused === "ended") return end(run, "cancelled", "its request has ended");
  if (paused !== undefined) return paused;
  const common = await parts.trees.find(state.opened.integration);
  if (state.tree === undefined) {
    const tree = parts.trees.idOf(state.opened.id);
    await run.append(EVENTS.pipeline.treeMade.create({ tree, synced: await common.head() }, BY));
    return "again";
  }
  const tree = await openTree(parts, state.tree, state.commit ?? state.synced, run.signal);
  const piece: Piece = { parts, request: await requestOf(parts, request), run, tree, common };
  if (state.merged !== undefined) {
    await parts.trees.discard(tree.id);
    return end(run, "merged", "");
  }
  if (state.merging !== undefined) return merge(piece);
  if (state.red === undefined && state.opened.assertions.some((one) => one.shown_by === "test")) return writeTests(piece);
  if (!state.built) return build(piece);
  if (state.disputed.length > 0) return reconcile(piece);
  const next = await takeIn(piece);
  if (next !== undefined) return next;
  if (state.judged?.commit !== (await tree.head()) || !state.judged.passed) return judgePiece(piece);
  return merge(piece);
}

export function pipelineHandler(parts: FlowParts, request: string): RunHandler<PipelineState> {
  return {
    kind: kindOf(request),
    view: pipelineView,
    mayGoOn: ({ ended }) => ended?.how !== "cancelled",
    turn: ({ lates }) => lates,
    async advance(run) {
      try {
        return await parts.seats.with(request, run.signal, () => advance(parts, request, run));
      } catch (error) {
        if (SylkError.is(error, "DEADLINE_PASSED") && !run.signal.aborted) return ask({ parts, run }, "late", error.message);
        const asked = await openQuestion(parts, error);
        if (asked === undefined) throw error;
        await run.append(EVENTS.pipeline.waits.create({ why: "task_asks", question: asked.id, text: asked.text }, BY));
        return "again";
      }
    },
  };
}
