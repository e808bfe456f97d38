/** What every phase of a piece of work does: begin under an id that is written down, ask the user and rest, go back, end. */
import type { Run, RunHandler } from "../journal/index.ts";
import { budgetOf, RAISE } from "./budget.ts";
import { EVENTS, SYSTEM, type NewEvent, type Payload } from "../protocol/events/index.ts";
import type { WorkTree } from "../workspace/index.ts";
import { cutText, type Brief } from "./brief.ts";
import { newTaskId } from "./bring-together.ts";
import { briefingOf, correctionsTo, type Correction } from "./gate.ts";
import type { FlowParts } from "./parts.ts";
import type { PipelineState } from "./pipeline-state.ts";
import type { RequestState } from "./request-state.ts";
import type { PhaseEnd, PhaseTask } from "./run-phase.ts";

export type Next = Awaited<ReturnType<RunHandler<PipelineState>["advance"]>>;
type Phase = Payload<"pipeline.phase_began">["phase"];
type Why = Payload<"pipeline.waits">["why"];

const BY = { actor: SYSTEM.engine };

export interface Piece {
  parts: FlowParts;
  /** As it stands now: what the person said since the piece began counts. */
  request: RequestState;
  run: Run<PipelineState>;
  tree: WorkTree;
  common: WorkTree;
}

/** The id under which the phase's task is found again: written down before the task is made. */
export async function beginPhase({ parts, run }: Piece, phase: Phase, commit?: string): Promise<string> {
  const { phase: now, attempt } = run.state;
  if (now?.phase === phase && now.attempt === attempt && now.commit === commit) return now.task;
  const task = newTaskId(parts);
  await run.append(EVENTS.pipeline.phaseBegan.create({ phase, attempt, task, ...(commit === undefined ? {} : { commit }) }, BY));
  return task;
}

export function taskFor(
  { run, tree }: Pick<Piece, "run" | "tree">,
  how: { id: string; type: string; role: string; brief: Brief; checks: PhaseTask["checks"] },
): PhaseTask {
  const { opened } = run.state;
  return {
    id: how.id,
    type: how.type,
    role: how.role,
    ...how.brief,
    checks: how.checks,
    model: opened.model,
    profile: opened.profile,
    maxSteps: undefined,
    session: opened.request,
    folder: ".",
    sharedTree: tree,
  };
}

export const named = (commands: readonly string[]): PhaseTask["checks"] =>
  commands.length === 0
    ? "own"
    : commands.map((command, index) => ({ name: commands.length === 1 ? "check" : `check ${index + 1}`, command, from: "person" }));

/** Asks the user what is to become of it; with the next advance it rests. */
export async function ask({ parts, run }: Pick<Piece, "parts" | "run">, why: Why, text: string): Promise<Next> {
  const { opened, attempt, tree } = run.state;
  const at = tree === undefined ? undefined : await parts.trees.find(tree).catch(() => undefined);
  const budgetUsd = why === "budget" ? await budgetOf(parts, opened.request) : undefined;
  const question = await parts.questions.put({
    asker: { kind: "pipeline", id: opened.id },
    session: opened.request,
    key: why === "budget" ? `budget/${attempt}/${budgetUsd ?? 0}` : `${why}/${attempt}`,
    message: `${opened.node.id} ${opened.node.title}: ${text}`,
    ask: {
      kind: "choice",
      options: [
        ...(why === "budget" ? [RAISE] : []),
        { value: "retry", label: "try again", hint: "with what you add", words: "possible" },
        ...(at === undefined
          ? []
          : [{ value: "take_over", label: "take over", hint: `finish it in ${at.path}, then choose this: it is judged as it stands` }]),
        { value: "skip", label: "leave it out", hint: "what needs it waits" },
        { value: "abort", label: "stop here", hint: "nothing of it is merged" },
      ],
    },
    by: SYSTEM.engine,
  });
  await run.append(
    EVENTS.pipeline.waits.create({ why, question: question.id, text, ...(budgetUsd === undefined ? {} : { budget_usd: budgetUsd }) }, BY),
  );
  return "again";
}

/** It rests for an answer that its task asked for; the task takes it up itself. */
async function restForTask({ run }: Piece, end: Extract<PhaseEnd, { kind: "asks" }>): Promise<Next> {
  if (run.state.waits?.question !== end.question)
    await run.append(EVENTS.pipeline.waits.create({ why: "task_asks", question: end.question, text: end.text }, BY));
  return "again";
}

type Settled = Extract<PhaseEnd, { kind: "complete" | "stuck" | "cannot" }>;

/** What a phase came to; where it rests for somebody, until when. */
export async function settle(piece: Piece, done: PhaseEnd): Promise<{ next: Next } | { done: Settled }> {
  switch (done.kind) {
    case "asks":
      return { next: await restForTask(piece, done) };
    case "paused":
      return { next: "again" };
    case "spent":
      return { next: await ask(piece, "budget", done.why) };
    default:
      return { done };
  }
}

export async function end(run: Run<PipelineState>, how: Payload<"pipeline.ended">["how"], why: string): Promise<Next> {
  await run.append(EVENTS.pipeline.ended.create({ how, why }, BY));
  return "again";
}

/** The next attempt, with what is to be corrected; without anything to say, that it is tried again. */
export function returnedWith(
  { parts, request, run }: Pick<Piece, "parts" | "request" | "run">,
  corrections: readonly Correction[],
  to = "engineer",
): NewEvent {
  const { opened, attempt } = run.state;
  const id = `${opened.id}/${attempt + 1}`;
  const message = correctionsTo(to, request, id, parts.clock.now(), corrections);
  return EVENTS.pipeline.returned.create({ attempt: attempt + 1, message }, BY);
}

/** Again with what is known now, or to the user when it was tried often enough. */
export async function back(piece: Piece, why: Why, corrections: readonly Correction[], to = "engineer"): Promise<Next> {
  const { parts, run } = piece;
  if (run.state.attempt >= parts.limits.attempts) return ask(piece, why, cutText(briefingOf(corrections), 1_500));
  await run.append(returnedWith(piece, corrections, to));
  return "again";
}
