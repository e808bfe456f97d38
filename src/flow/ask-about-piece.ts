/** What the user is asked about a piece that does not get there, and what may be chosen. Others go on meanwhile. */
import { EVENTS, STREAMS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { budgetOf, RAISE } from "./budget.ts";
import type { Next, Piece } from "./piece.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { requestView } from "./request-state.ts";
import { triedLines } from "./retry-briefing.ts";
import { dependentsOf } from "./what-needs.ts";

type Why = Payload<"pipeline.waits">["why"];
type Choice = Payload<"pipeline.answered">["choice"];
interface Option {
  value: Choice;
  label: string;
  hint?: string;
  words?: "possible" | "amount";
}

/** How often pieces of one request go back to the Architect. */
const MOST_REPLANS = 3;

const BY = { actor: SYSTEM.engine };

/** A judge that says no can be set aside; whoever says yes is left alone. */
function asideOptions(why: Why, { judged, setAside }: PipelineState): Option[] {
  const still = (who: "inspector" | "tester"): boolean => !setAside.some((one) => one.who === who);
  if (why !== "tries_used_up" || judged === undefined) return [];
  return [
    ...(judged.inspector_passed === false && still("inspector")
      ? [
          {
            value: "ignore_inspector" as const,
            label: "set the Inspector aside",
            hint: "for this piece; what it found stays in the report",
          },
        ]
      : []),
    ...(judged.tester_passed === false && still("tester")
      ? [{ value: "ignore_tester" as const, label: "set the Tester aside", hint: "for this piece; what fails stays in the report" }]
      : []),
  ];
}

async function optionsFor({ parts, run }: Pick<Piece, "parts" | "run">, why: Why): Promise<Option[]> {
  const { opened, tree } = run.state;
  const at = tree === undefined ? undefined : await parts.trees.find(tree).catch(() => undefined);
  const request = await parts.store.journal.get(requestView, STREAMS.request(opened.request));
  const needing = request === undefined ? [] : dependentsOf(request, opened.node.id).filter((id) => !(id in request.skipped));
  const more = parts.limits.attempts;
  return [
    ...(why === "budget" ? [RAISE] : []),
    {
      value: "retry",
      label: "try again",
      hint: why === "model" ? "it goes on where it stood" : `${more} more ${more === 1 ? "try" : "tries"}, with what you add`,
      words: "possible",
    },
    ...asideOptions(why, run.state),
    ...(at === undefined
      ? []
      : [
          { value: "take_over" as const, label: "take over", hint: `finish it in ${at.path}, then choose this: it is judged as it stands` },
        ]),
    ...(why === "budget" || why === "model" || (request?.replans ?? 0) >= MOST_REPLANS
      ? []
      : [
          {
            value: "replan" as const,
            label: "back to the Architect",
            hint: `it hears how each try failed and plans ${[opened.node.id, ...needing].join(", ")} anew`,
            words: "possible" as const,
          },
        ]),
    ...(needing.length === 0
      ? []
      : [{ value: "without" as const, label: "go on without it", hint: `${needing.join(", ")} begin all the same` }]),
    { value: "skip", label: "leave it out", ...(needing.length === 0 ? {} : { hint: `and what needs it: ${needing.join(", ")}` }) },
    { value: "abort", label: "stop here", hint: "nothing of it is merged" },
  ];
}

/** With the next advance it rests. `also`: what is for the user's eyes and for nobody who works on it. */
export async function ask(
  { parts, run }: Pick<Piece, "parts" | "run">,
  why: Why,
  text: string,
  also: readonly string[] = [],
): Promise<Next> {
  const { opened, attempt, answers, tried } = run.state;
  // Neither money nor a model that is missing has to do with what was tried.
  const before = why === "budget" || why === "model" ? [] : triedLines(tried);
  const budgetUsd = why === "budget" ? await budgetOf(parts, opened.request) : undefined;
  const question = await parts.questions.put({
    asker: { kind: "pipeline", id: opened.id },
    session: opened.request,
    key: why === "budget" ? `budget/${attempt}/${budgetUsd ?? 0}` : `${why}/${attempt}/${answers}`,
    message: [`${opened.node.id} ${opened.node.title}: ${text}`, ...before, ...also].join("\n"),
    ask: { kind: "choice", options: await optionsFor({ parts, run }, why) },
    by: SYSTEM.engine,
  });
  await run.append(
    EVENTS.pipeline.waits.create({ why, question: question.id, text, ...(budgetUsd === undefined ? {} : { budget_usd: budgetUsd }) }, BY),
  );
  return "again";
}
