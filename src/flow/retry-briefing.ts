/** What whoever tries a piece again is told: what was tried and how it failed, what that means, what not to repeat. */
import { wording } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, type NewEvent, type Payload } from "../protocol/events/index.ts";
import { taskView, type TaskState } from "../step/index.ts";
import { cutText } from "./brief.ts";
import { briefingOf, correctionsTo, type Correction } from "./gate.ts";
import type { FlowParts } from "./parts.ts";
import type { Piece } from "./piece.ts";
import type { PipelineState } from "./pipeline-state.ts";

type RetryBriefing = Payload<"pipeline.returned">["briefing"];
type Attempt = RetryBriefing["prior_attempts"][number];
type Phase = Payload<"pipeline.phase_began">["phase"];

export type Tier = Attempt["error_tier"];

const BY = { actor: SYSTEM.engine };

const ERROR_CHARS = 600;
const APPROACH_CHARS = 300;
/** The newest ways that led nowhere, and how long their names are. */
const MOST_AVOIDED = 3;
const AVOIDED_CHARS = 80;
/** A reason in a question. */
const REASON_CHARS = 240;

const DONE: Readonly<Record<Phase, string>> = { red: "tests written", green: "built", reconcile: "combined", inspect: "judged" };

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** What fails in the same way, however many tests ran beside it. */
const wayOf = (error: string): string => firstLine(error).replaceAll(/\d+/gu, "#");

function phasesOf({ red, built, judged }: PipelineState): Phase[] {
  return [
    ...(red === undefined ? [] : ["red" as const]),
    ...(built ? ["green" as const] : []),
    ...(judged === undefined ? [] : ["inspect" as const]),
  ];
}

/** What whoever wrote the tests says is not for a builder's ears. */
const speaksTo = (to: string, { created }: TaskState): boolean => to === "tester" || created.role !== "tester";

async function attemptOf({ store, clock }: FlowParts, state: PipelineState, text: string, tier: Tier, to: string): Promise<Attempt> {
  const tasks = await Promise.all(state.triedBy.map((task) => store.journal.get(taskView, STREAMS.task(task))));
  const known = tasks.filter((task): task is TaskState => task !== undefined);
  const last = known.findLast((task) => speaksTo(to, task));
  return {
    timestamp: clock.now(),
    approach: cutText(state.report ?? last?.report ?? last?.words.at(-1) ?? "nothing was handed in", APPROACH_CHARS),
    error: cutText(text, ERROR_CHARS),
    error_tier: tier,
    tokens_spent: known.reduce((sum, { usage }) => sum + usage.input + usage.output, 0),
    phases_complete: phasesOf(state),
  };
}

/** What led nowhere, in a line: which try is meant, and how it ended. What only something else stopped may be done again. */
function avoidedIn(tried: readonly Attempt[]): string[] {
  const lines = tried
    .filter((one) => one.error_tier === "permanent")
    .map(({ approach, error }) => `${wording.oneLine(approach, AVOIDED_CHARS)}: ${wording.oneLine(firstLine(error), 2 * AVOIDED_CHARS)}`);
  return [...new Set(lines)].slice(-MOST_AVOIDED);
}

/** By how far the last try came: who writes tests begins in an empty tree, and what was not handed in may be half done. */
const NEXT = {
  tests: "The tests are written anew, in a tree without those of before: mend what is named here.",
  handed_in: "Keep what works of it and mend what is named here; read the assertions again rather than guess the tests.",
  left: "Nothing was handed in: look at what stands in the tree, if anything does, and mend what is named here.",
} as const;

/** What history and the error together suggest to `to`. */
function suggestionOf(tried: readonly Attempt[], tier: Tier, to: string): string {
  const last = tried.at(-1);
  const same = tried.filter(({ error }) => wayOf(error) === wayOf(last?.error ?? "")).length;
  if (tier !== "permanent") return "What stopped it was not the work: go on from what stands there.";
  if (same > 1) return `${same} tries failed in the same way: leave that way and take another.`;
  if (to === "tester") return NEXT.tests;
  return last?.phases_complete.includes("green") === true ? NEXT.handed_in : NEXT.left;
}

/** The next attempt: corrections that passed the gate, and what follows from them and from the tries before. Nothing else is told. */
export async function returnedWith(
  { parts, request, run }: Pick<Piece, "parts" | "request" | "run">,
  corrections: readonly Correction[],
  { to = "engineer", tier = "permanent" }: { to?: string | undefined; tier?: Tier | undefined } = {},
): Promise<NewEvent> {
  const { state } = run;
  const attempt = state.attempt + 1;
  const text = briefingOf(corrections);
  const tried = [...state.tried, await attemptOf(parts, state, text, tier, to)];
  const briefing: RetryBriefing = {
    original_request: request.intent.words,
    attempt_number: tried.length + 1,
    prior_attempts: tried,
    failure_analysis: cutText(text),
    suggested_approach: suggestionOf(tried, tier, to),
    avoid_patterns: avoidedIn(tried),
  };
  const message = correctionsTo(to, request, `${state.opened.id}/${attempt}`, parts.clock.now(), corrections);
  return EVENTS.pipeline.returned.create({ attempt, message, briefing }, BY);
}

const attemptLine = (
  { approach, error, error_tier: tier, tokens_spent: tokens, phases_complete: phases }: Attempt,
  index: number,
): string =>
  `${index + 1}. ${firstLine(approach)} (${[...phases.map((phase) => DONE[phase]), `${tokens} tokens`, tier].join(", ")}): ${firstLine(error)}`;

/** The tries before, a line each. */
export const triedText = (tried: readonly Attempt[]): string => tried.map(attemptLine).join("\n");

/** Why the tries before came to nothing, for whoever is asked about the last one. */
export const triedLines = (tried: readonly Attempt[]): string[] =>
  tried.map(({ error }, index) => `Try ${index + 1}: ${wording.oneLine(firstLine(error), REASON_CHARS)}`);

/** As its reader sees it; the request itself stands in every task by itself. */
export function briefingText(briefing: RetryBriefing): string {
  const {
    attempt_number: attempt,
    prior_attempts: tried,
    failure_analysis: failed,
    suggested_approach: next,
    avoid_patterns: avoid,
  } = briefing;
  return [
    `This is attempt ${attempt}. What failed last:`,
    failed,
    ...(tried.length === 0 ? [] : ["Tried so far:", triedText(tried)]),
    ...(next === "" ? [] : ["What to do now:", next]),
    ...(avoid.length === 0 ? [] : ["Do not repeat:", ...avoid.map((one) => `- ${one}`)]),
  ].join("\n");
}
