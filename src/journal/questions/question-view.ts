/** Every question with what became of it, by its stream. */
import type { Question, QuestionAnswer } from "../../protocol/index.ts";
import { EVENTS, type Payload } from "../../protocol/events/index.ts";
import type { View } from "../types.ts";

function ended(state: Question, status: Exclude<Question["status"], "open">, answer: QuestionAnswer | null, at: number): Question {
  return { ...state, status, answer, ended_at: at };
}

export const questionView: View<Question> = {
  name: "question",
  version: 1,
  types: Object.values(EVENTS.question).map(({ type }) => type),
  key: ({ stream }) => (stream.startsWith("question/") ? stream : undefined),
  reduce(state, event) {
    if (EVENTS.question.asked.is(event)) {
      const payload: Payload<"question.asked"> = event.payload;
      const { deadline_ms, ...asked } = payload;
      const deadline = deadline_ms === null ? null : event.at + deadline_ms;
      return { ...asked, status: "open", asked_at: event.at, deadline_at: deadline, answer: null, ended_at: null };
    }
    if (state === undefined) return undefined;
    if (EVENTS.question.answered.is(event)) return ended(state, "answered", event.payload.answer, event.at);
    if (EVENTS.question.expired.is(event)) return ended(state, "expired", state.fallback, event.at);
    return EVENTS.question.withdrawn.is(event) ? ended(state, "withdrawn", null, event.at) : state;
  },
};
