/** What runs ask the user. */
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { QuestionApi } from "../../journal/index.ts";

export function questionHandlers(questions: QuestionApi) {
  return {
    commands: {
      "question.answer": ({ id, answer }, signal) => questions.answer(id, answer, signal),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "question.list": (which) => questions.list(which),
      "question.show": ({ id }) => questions.find(id),
    } satisfies Partial<QueryHandlers>,
  };
}
