/** What a phase of a piece came to: on with it, back with a briefing, or rest for somebody. */
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { ask } from "./ask-about-piece.ts";
import { cutText } from "./brief.ts";
import { briefingOf, type Correction } from "./gate.ts";
import type { Next, Piece } from "./piece.ts";
import { returnedWith, type Tier } from "./retry-briefing.ts";
import type { PhaseEnd } from "./run-phase.ts";

type Why = Payload<"pipeline.waits">["why"];

const BY = { actor: SYSTEM.engine };

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
    case "no_model":
      return { next: await ask(piece, "model", done.why) };
    default:
      return { done };
  }
}

/** Again with what is known now, or to the user when it was tried often enough. */
export async function back(
  piece: Pick<Piece, "parts" | "request" | "run">,
  why: Why,
  corrections: readonly Correction[],
  how: { to?: string; tier?: Tier } = {},
): Promise<Next> {
  const { parts, run } = piece;
  const { attempt, tries } = run.state;
  if (attempt >= (tries ?? parts.limits.attempts)) return ask(piece, why, cutText(briefingOf(corrections), 1_500));
  await run.append(await returnedWith(piece, corrections, how));
  return "again";
}

/** A task that came to no end: whether that is the work's fault. */
export const tierOf = (done: Settled): Tier => (done.kind === "stuck" ? done.tier : "permanent");
