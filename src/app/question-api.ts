/** What runs ask the user, for surfaces: seen and answered from any process. */
import { endedQuestion, unknownQuestion, type Questions, type Store } from "../journal/index.ts";
import { isoTime, matchId } from "../kernel/index.ts";
import type { Question } from "../protocol/index.ts";
import { USER, type QuestionAnswer } from "../protocol/events/index.ts";
import type { AuthApi } from "./auth-api.ts";

/** A secret goes to the credential store; the journal learns only that it is there. */
export type GivenAnswer = QuestionAnswer | { kind: "secret"; value: string };

export interface QuestionApi {
  /** Open ones, oldest first; with `ended`, all there ever were. */
  list(options: { ended: boolean }): Promise<Question[]>;
  /** By its id, the beginning or the end of it. */
  find(id: string): Promise<Question>;
  /** Throws when it takes no answer any more, or not this one. */
  answer(id: string, answer: GivenAnswer, signal: AbortSignal): Promise<Question>;
  /** Resolves when it has ended, wherever that was; rejects when the signal is aborted. */
  ended(id: string, signal: AbortSignal): Promise<void>;
  /** What the runs of this process wait for, now and after every change. */
  awaited(signal: AbortSignal): AsyncIterable<readonly Question[]>;
}

function said(answer: QuestionAnswer | null): string {
  if (answer === null) return "";
  return answer.kind === "stored" ? " with a secret" : `: ${answer.kind === "said" ? answer.text : answer.value}`;
}

function howItEnded({ status, answer, ended_at, deadline_at }: Question): string {
  const at = isoTime(ended_at ?? deadline_at ?? 0);
  if (status === "withdrawn") return `it was withdrawn at ${at}`;
  if (status === "expired") return `its time ran out at ${at}${answer === null ? "" : `, and this counts${said(answer)}`}`;
  return `it was answered at ${at}${said(answer)}`;
}

export function createQuestionApi(parts: { questions: Questions; existing: () => Promise<Store | undefined>; auth: AuthApi }): QuestionApi {
  const { questions } = parts;
  const all = async (): Promise<Question[]> => ((await parts.existing()) === undefined ? [] : questions.list());
  const isOpen = async ({ id }: Question): Promise<boolean> => (await questions.get(id))?.status === "open";
  const open = async (): Promise<Question[]> => {
    const asked = (await all()).filter(({ status }) => status === "open");
    const still = await Promise.all(asked.map(isOpen));
    return asked.filter((_, index) => still[index]);
  };
  const find = async (id: string): Promise<Question> => {
    const ids = (await all()).map((question) => question.id);
    const match = matchId(id, ids);
    // What is open is meant when several would fit.
    const among = match.kind === "several" ? (await open()).filter((one) => match.ids.includes(one.id)).map((one) => one.id) : ids;
    const found = match.kind === "several" ? matchId(id, among) : match;
    const question = found.kind === "one" ? await questions.get(found.id) : undefined;
    if (question === undefined) throw unknownQuestion(id);
    return question;
  };
  return {
    list: ({ ended }) => (ended ? all() : open()),
    find,
    async answer(id, given, signal) {
      const question = await find(id);
      if (question.status !== "open") throw endedQuestion(question.id, howItEnded(question));
      let answer: QuestionAnswer;
      if (given.kind === "secret") {
        const provider = question.ask.kind === "secret" ? question.ask.provider : undefined;
        if (provider !== undefined) await parts.auth.set({ provider, key: given.value, unverified: true, signal });
        answer = { kind: "stored" };
      } else answer = given;
      const taken = await questions.answer(question.id, answer, USER);
      const now = await find(question.id);
      if (taken === "too_late") throw endedQuestion(question.id, howItEnded(now));
      return now;
    },
    ended: (id, signal) => questions.ended(id, signal),
    awaited: (signal) => questions.awaited(signal),
  };
}
