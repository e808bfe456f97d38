/** Somebody who is there: answers what is asked, wherever the runs that ask it are. */
import type { Questions, Store } from "../../src/journal/index.ts";
import type { Api } from "../../src/protocol/api/index.ts";
import type { Question, QuestionAnswer } from "../../src/protocol/index.ts";

type Said = Exclude<QuestionAnswer, { kind: "stored" }>;
export type Say = (question: Question) => Said | undefined;

interface Asked {
  /** What is open, now and after every change. */
  awaited(signal: AbortSignal): AsyncIterable<readonly Question[]>;
}

export const choose = (value: string, words?: string): Said => ({
  kind: "chosen",
  value,
  ...(words === undefined ? {} : { words }),
});

const isOpen = ({ status }: Question): boolean => status === "open";

export function askedThrough(api: Api): Asked {
  return {
    async *awaited(signal) {
      for await (const _ of api.events({ stream: "question/" }, 0, signal)) yield await api.query({ type: "question.list", ended: false });
    },
  };
}

export function askedIn({ journal }: Store, questions: Questions): Asked {
  return {
    async *awaited(signal) {
      using subscription = journal.subscribe({ stream: "question/" });
      while (!signal.aborted) {
        yield (await questions.list()).filter(isOpen);
        await subscription.next(signal);
      }
    },
  };
}

/** Until disposed. A question without an answer stays open. */
export function answering(asked: Asked, answer: (id: string, answer: Said) => Promise<unknown>, say: Say): AsyncDisposable {
  const stop = new AbortController();
  const seen = new Set<string>();
  const work = (async () => {
    for await (const open of asked.awaited(stop.signal))
      for (const question of open) {
        // For words a run rests.
        if (seen.has(question.id) || question.ask.kind === "text") continue;
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
