/** What a run asks and what becomes of it, from this process or another. */
import type { Api } from "../protocol/api/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import type { Question } from "../protocol/index.ts";

/** What is open, now and after every change. */
export async function* openQuestions(api: Api, asker: string, signal: AbortSignal): AsyncGenerator<readonly Question[]> {
  // Where it stands comes first, so that nothing asked meanwhile is missed.
  const { position } = await api.query({ type: "journal.head" }, signal);
  const list = (): Promise<Question[]> => api.query({ type: "question.list", ended: false, asker }, signal);
  yield await list();
  for await (const _ of api.events({ stream: STREAMS.question(asker) }, position, signal)) yield await list();
}

/** True when it has ended, wherever that was; false when aborted first. */
export async function hasEnded(api: Api, { asker, id }: Question, signal: AbortSignal): Promise<boolean> {
  for await (const { type } of api.events({ stream: STREAMS.question(asker.id, id) }, 0, signal))
    if (type !== "question.asked") return true;
  return false;
}
