/** What runs ask the user, for surfaces: seen and answered from any process. */
import { isoTime, shortIds } from "../kernel/index.ts";
import type { Input } from "../protocol/api/index.ts";
import type { Question, QuestionAnswer } from "../protocol/index.ts";
import { USER } from "../protocol/events/index.ts";
import type { Store } from "./store.ts";
import { endedQuestion, unknownQuestion, type Questions } from "./questions/create-questions.ts";

export interface QuestionApi {
  /** Open ones, oldest first; with `ended`, all there ever were. */
  list(options: { ended: boolean; asker?: string | undefined }): Promise<Question[]>;
  /** By its id, the beginning or the end of it. */
  find(id: string): Promise<Question>;
  /** Throws when it takes no answer any more, or not this one. */
  answer(id: string, answer: Input<"question.answer">["answer"], signal: AbortSignal): Promise<Question>;
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

export function createQuestionApi(parts: {
  questions: Questions;
  existing: () => Promise<Store | undefined>;
  /** Whether who asked has ended: nobody looks for its answers, although it died before it withdrew what it asked. */
  isOver?: (asker: Question["asker"]) => Promise<boolean>;
  /** Keeps the key that was asked for, before the run that waits for it goes on; the result takes it back. */
  keepKey: (provider: string, key: string, signal: AbortSignal) => Promise<() => Promise<void>>;
}): QuestionApi {
  const { questions } = parts;
  const all = async (asker?: string): Promise<Question[]> => ((await parts.existing()) === undefined ? [] : questions.list(asker));
  const isOver = async ({ asker }: Question): Promise<boolean> => (await parts.isOver?.(asker)) === true;
  const isOpen = async (question: Question): Promise<boolean> =>
    (await questions.get(question.id))?.status === "open" && !(await isOver(question));
  const open = async (asker?: string): Promise<Question[]> => {
    const asked = (await all(asker)).filter(({ status }) => status === "open");
    const still = await Promise.all(asked.map(isOpen));
    return asked.filter((_, index) => still[index]);
  };
  const find = async (id: string): Promise<Question> => {
    const ids = (await all()).map((question) => question.id);
    const match = shortIds.match(id, ids);
    // What is open is meant when several would fit.
    const among = match.kind === "several" ? (await open()).filter((one) => match.ids.includes(one.id)).map((one) => one.id) : ids;
    const found = match.kind === "several" ? shortIds.match(id, among) : match;
    const question = found.kind === "one" ? await questions.get(found.id) : undefined;
    if (question === undefined) throw unknownQuestion(id);
    return question;
  };
  return {
    list: ({ ended, asker }) => (ended ? all(asker) : open(asker)),
    find,
    async answer(id, given, signal) {
      const question = await find(id);
      if (question.status !== "open") throw endedQuestion(question.id, howItEnded(question));
      if (await isOver(question)) throw endedQuestion(question.id, `the ${question.asker.kind} that asked it has ended`);
      let answer: QuestionAnswer;
      let takeBack: (() => Promise<void>) | undefined;
      if (given.kind === "secret") {
        const provider = question.ask.kind === "secret" ? question.ask.provider : undefined;
        if (provider !== undefined) takeBack = await parts.keepKey(provider, given.value, signal);
        answer = { kind: "stored" };
      } else answer = given;
      const taken = await questions.answer(question.id, answer, USER);
      if (taken === "too_late") await takeBack?.();
      const now = await find(question.id);
      if (taken === "too_late") throw endedQuestion(question.id, howItEnded(now));
      return now;
    },
  };
}
