/**
 * What came of advice: what roles answered in requests like this one, beside how those requests ended. A view of messages
 * and endings, nothing is kept apart; whether the advice or the work was at fault is for the reader to judge.
 */
import type { Payload } from "../protocol/events/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import { wording } from "../kernel/index.ts";
import { messagesView } from "../team/index.ts";
import type { FlowParts } from "./parts.ts";
import type { RequestState } from "./request-state.ts";

type Advice = Payload<"request.assessed">["advice"][number];

const MOST = 5;
const CHARS = 160;

/** A plan that was rejected, or a request the user stopped on the way, says nothing of what was advised. */
const OUTCOME: Partial<Record<NonNullable<RequestState["ended"]>["how"], Advice["outcome"]>> = {
  done: "success",
  not_shown: "partial",
  failed: "failure",
};

/** `alike`: requests like this one that have ended, newest first. */
export async function adviceIn({ store }: Pick<FlowParts, "store">, alike: readonly RequestState[]): Promise<Advice[]> {
  const found: Advice[] = [];
  for (const { created, ended } of alike) {
    const outcome = ended === undefined ? undefined : OUTCOME[ended.how];
    const messages = outcome === undefined ? undefined : await store.journal.get(messagesView, STREAMS.message(created.id));
    if (outcome === undefined || messages === undefined) continue;
    for (const { id, to, body } of Object.values(messages.sent)) {
      const answer = messages.sent[messages.settled[id] ?? ""]?.body;
      if (body.kind !== "question" || answer?.kind !== "answer") continue;
      const said = { by: to, question: wording.oneLine(body.question, CHARS), answer: wording.oneLine(answer.answer, CHARS) };
      found.push({ ...said, request: created.id, outcome, why: outcome === "success" ? "" : wording.oneLine(ended?.summary ?? "", CHARS) });
    }
  }
  return found.slice(0, MOST);
}

const LABEL = {
  success: "VALIDATED (the request was done)",
  partial: "PARTLY VALIDATED (not all of it was shown)",
  failure: "PAST FAILURE",
} as const;

export const adviceLines = (advice: readonly Advice[]): string[] =>
  advice.map(
    ({ by, question, answer, outcome, why }) =>
      `${LABEL[outcome]}: ${by}, asked "${question}", said "${answer}"${why === "" ? "" : `; it came to: ${why}`}`,
  );
