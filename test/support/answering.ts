/** Somebody who is there: answers what the runs of this process wait for. */
import type { Question } from "../../src/protocol/index.ts";
import type { QuestionAnswer } from "../../src/protocol/events/index.ts";

export type Say = (question: Question) => QuestionAnswer | undefined;

interface Asked {
  awaited(signal: AbortSignal): AsyncIterable<readonly Question[]>;
}

export const choose = (value: string, words?: string): QuestionAnswer => ({
  kind: "chosen",
  value,
  ...(words === undefined ? {} : { words }),
});

/** Until disposed. A question without an answer stays open. */
export function answering(questions: Asked, answer: (id: string, answer: QuestionAnswer) => Promise<unknown>, say: Say): AsyncDisposable {
  const stop = new AbortController();
  const seen = new Set<string>();
  const work = (async () => {
    for await (const open of questions.awaited(stop.signal))
      for (const question of open) {
        if (seen.has(question.id)) continue;
        seen.add(question.id);
        const said = say(question);
        if (said !== undefined) await answer(question.id, said);
      }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await work;
    },
  };
}
