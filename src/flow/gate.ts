/**
 * What goes back to whoever works on a piece: corrections, each with what it means for the person's limits and criteria.
 * One that would break a limit never leaves; the user is told of it instead.
 */
import type { Store } from "../journal/index.ts";
import { STREAMS, type Payload } from "../protocol/events/index.ts";
import { MESSAGES } from "../protocol/index.ts";
import type { Intent } from "../protocol/plan/index.ts";
import { findingLine, type Finding } from "./brief.ts";
import { requestView, type RequestState } from "./request-state.ts";

type Judged = Payload<"pipeline.judged">["findings"][number];
type Returned = Payload<"pipeline.returned">["message"];
export type Correction = Returned["body"]["corrections"][number];
type Alignment = Correction["intent_alignment"];
type Message = ReturnType<typeof MESSAGES.derive>;

/** What was seen by running it: nobody guesses at a cause, and nothing of the person's is touched. */
export const fact = (issue: string, correction = "", from = "engine"): Correction => ({
  from,
  issue,
  correction,
  intent_alignment: MESSAGES.gate({
    conflicts_with_constraints: [],
    affected_criteria: [],
    root_cause_confidence: 1,
    root_cause_assessment: "it was run",
  }),
});

/** What a finding's correction means for what the person said; one that names no cause is taken for a symptom. */
function alignmentOf({ fix }: Finding, { constraints }: Intent): Alignment {
  return MESSAGES.gate({
    conflicts_with_constraints: (fix?.breaks ?? []).map((number) => constraints[number - 1] ?? `limit ${number}`),
    affected_criteria: fix?.impacts ?? [],
    root_cause_confidence: fix?.cause ?? 0,
    root_cause_assessment: fix?.why ?? "nobody said what the cause is",
  });
}

/** Findings that may be sent, and those that may not. */
export function gated(findings: readonly Judged[], intent: Intent): { sent: Correction[]; blocked: Judged[]; findings: Judged[] } {
  const weighed = findings.map((one) => ({ ...one, alignment: alignmentOf(one, intent) }));
  const blocked = weighed.filter(({ alignment }) => alignment.decision === "BLOCKED");
  const sent = weighed
    .filter(({ alignment }) => alignment.decision !== "BLOCKED")
    .toSorted((a, b) => Number(b.blocks) - Number(a.blocks))
    .map((one) => ({
      from: "inspector",
      issue: `The review ${one.blocks ? "found" : "noted"}: ${findingLine(one)}`,
      correction: one.fix?.correction ?? "",
      intent_alignment: one.alignment,
    }));
  return { sent, blocked, findings: weighed };
}

/** For the user: what the review wants and may not ask for. */
export const blockedText = (blocked: readonly Judged[]): string =>
  blocked
    .map(
      ({ text, fix, alignment }) =>
        `the review found "${text}" and would have it mended so: ${fix?.correction ?? ""}. That breaks your limit ${(
          alignment?.conflicts_with_constraints ?? []
        )
          .map((limit) => `"${limit}"`)
          .join(", ")}, so nobody was told to`,
    )
    .join("\n");

/** The request itself, as the beginning of what roles say to each other about it. */
function messageOf({ created, createdAt, intent, classified }: RequestState): Message {
  const sure = classified === undefined ? [] : [{ agent: classified.by, confidence: classified.confidence, reason: classified.reading }];
  return MESSAGES.request({ request: created.id, revision: intent.revision, at: createdAt, sure });
}

/** The same for whoever knows only its id; about anything else than a request nobody has said anything yet. */
export async function requestMessage({ journal }: Pick<Store, "journal">, id: string): Promise<Message> {
  const state = await journal.get(requestView, STREAMS.request(id));
  return state === undefined ? MESSAGES.request({ request: id, revision: 1, at: 0, sure: [] }) : messageOf(state);
}

/** To whoever works on the piece next. */
export function correctionsTo(to: string, request: RequestState, id: string, at: number, corrections: readonly Correction[]): Returned {
  const from = corrections.some((one) => one.from === "inspector") ? "inspector" : (corrections[0]?.from ?? "engine");
  const sent = MESSAGES.derive(messageOf(request), { id, from, to, at, body: { kind: "corrections", corrections: [...corrections] } });
  return sent as Returned;
}

/** As whoever works on it reads them. */
export const briefingOf = (corrections: readonly Correction[]): string =>
  corrections
    .map(({ issue, correction, intent_alignment: { warning } }) =>
      [
        issue,
        ...(correction === "" ? [] : [`  Mend it so: ${correction}`]),
        ...(warning === undefined ? [] : [`  Careful: ${warning}`]),
      ].join("\n"),
    )
    .join("\n");
