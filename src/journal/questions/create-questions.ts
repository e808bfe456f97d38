/**
 * Asks and answers through the journal. The first end of a question counts, whoever brings it; a question is
 * asked once under its key, so a run that was killed finds it, and its answer, again. With nobody there to
 * answer the caller gets QUESTION_OPEN and lets its run rest: no answer is never a yes and never a no.
 */
import { sha256, SylkError, type Clock } from "../../kernel/index.ts";
import type { Question, QuestionAnswer } from "../../protocol/index.ts";
import { EVENTS, STREAMS, SYSTEM, type Actor, type NewEvent } from "../../protocol/events/index.ts";
import type { Journal } from "../types.ts";
import { misfit } from "./misfit.ts";
import { questionView } from "./question-view.ts";

export interface NewQuestion extends Pick<Question, "asker" | "session" | "message" | "ask"> {
  /** Names it within its asker, also for a process that takes the run up again. */
  key: string;
  by: Actor;
  deadlineMs?: number | undefined;
  /** What counts when nobody answered in time. */
  fallback?: QuestionAnswer | undefined;
}

export interface QuestionParts {
  journal: () => Promise<Journal>;
  clock: Clock;
  /** Somebody looks at all that this process asks. */
  attended: boolean;
  /** Takes secrets out of what is asked. */
  redact: (text: string) => string;
  /** The same for what is answered; throws when the words must not be used at all. */
  screen: (text: string) => Promise<string>;
}

export interface Questions {
  /** Whether somebody looks at what this asker asks. */
  attended(asker: string): boolean;
  /** Somebody does, until disposed. */
  attend(asker: string): Disposable;
  /** Writes it down and does not wait. */
  put(question: NewQuestion): Promise<Question>;
  /** Waits for its end. Undefined: it ended without an answer. Throws QUESTION_OPEN when nobody is there. */
  ask(question: NewQuestion, signal: AbortSignal): Promise<QuestionAnswer | undefined>;
  /** `too_late`: it has ended already. Throws when the answer does not fit. */
  answer(id: string, answer: QuestionAnswer, by: Actor): Promise<"taken" | "too_late">;
  withdraw(id: string, reason: string, by: Actor): Promise<void>;
  get(id: string): Promise<Question | undefined>;
  /** Oldest first; of one asker when it is named. */
  list(asker?: string): Promise<Question[]>;
}

/** After so long without an answer a run rests instead of waiting. */
const PATIENCE_MS = 12 * 3_600_000;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARS = 26;

function idOf(asker: string, key: string, attempt: number): string {
  const digits = Buffer.from(sha256(`${asker}\n${key}\n${attempt}`), "hex").subarray(0, ID_CHARS);
  return `q_${[...digits].map((byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;
}

function openQuestionError({ id, message }: Pick<Question, "id" | "message">): SylkError {
  return new SylkError({
    code: "QUESTION_OPEN",
    tier: "user_fixable",
    message: `it waits for an answer: ${message}`,
    fix: `\`sylk questions\` shows it whole, \`sylk answer ${id} …\` answers it`,
    details: { question: id },
  });
}

function redacted(ask: Question["ask"], redact: (text: string) => string): Question["ask"] {
  switch (ask.kind) {
    case "plan":
      return { ...ask, plan: redact(ask.plan) };
    case "diff":
      return {
        ...ask,
        summary: ask.summary.map(redact),
        text: redact(ask.text),
        diff: redact(ask.diff),
        parts: Object.fromEntries(Object.entries(ask.parts).map(([name, text]) => [name, redact(text)])),
      };
    default:
      return ask;
  }
}

async function screened(answer: QuestionAnswer, screen: QuestionParts["screen"]): Promise<QuestionAnswer> {
  if (answer.kind === "said") return { ...answer, text: await screen(answer.text) };
  return answer.kind === "chosen" && answer.words !== undefined ? { ...answer, words: await screen(answer.words) } : answer;
}

export function createQuestions({ journal, clock, attended, redact, screen }: QuestionParts): Questions {
  /** How many look at what each asker asks. */
  const attending = new Map<string, number>();
  const isAttended = (asker: string): boolean => attended || attending.has(asker);

  const end = async (question: Question, event: NewEvent): Promise<boolean> => {
    try {
      await (await journal()).append(STREAMS.question(question.asker.id, question.id), 1, [event]);
      return true;
    } catch (error) {
      if (SylkError.is(error, "JOURNAL_CONFLICT")) return false;
      throw error;
    }
  };
  const isLate = (question: Question): boolean => question.deadline_at !== null && clock.now() >= question.deadline_at;
  /** As it stands, with its deadline kept. */
  const read = async (stream: string): Promise<Question | undefined> => {
    const found = await (await journal()).get(questionView, stream);
    if (found?.status !== "open" || !isLate(found)) return found;
    await end(found, EVENTS.question.expired.create({}, { actor: SYSTEM.engine }));
    return (await journal()).get(questionView, stream);
  };
  const list = async (asker?: string): Promise<Question[]> => {
    const rows = await (await journal()).list(questionView, { prefix: asker === undefined ? "question/" : `question/${asker}/` });
    return rows.map(({ state }) => state).toSorted((a, b) => a.asked_at - b.asked_at);
  };
  const get = async (id: string): Promise<Question | undefined> => {
    const known = (await list()).find((question) => question.id === id);
    return known === undefined ? undefined : read(STREAMS.question(known.asker.id, id));
  };

  const put = async (question: NewQuestion): Promise<Question> => {
    const { key, by, deadlineMs, fallback, ...rest } = question;
    for (let attempt = 0; ; attempt += 1) {
      const id = idOf(question.asker.id, key, attempt);
      const stream = STREAMS.question(question.asker.id, id);
      const known = await read(stream);
      // What ended without an answer is asked anew; what was answered stays answered.
      if (known !== undefined && known.status !== "open" && known.answer === null) continue;
      if (known !== undefined) return known;
      const asked = EVENTS.question.asked.create(
        {
          ...rest,
          id,
          message: redact(question.message),
          ask: redacted(question.ask, redact),
          deadline_ms: deadlineMs ?? null,
          fallback: fallback ?? null,
        },
        { actor: by },
      );
      // Asked by two at once, it is asked once: the second reads what the first wrote.
      await (await journal()).append(stream, 0, [asked]).catch((error: unknown) => {
        if (!SylkError.is(error, "JOURNAL_CONFLICT")) throw error;
      });
      attempt -= 1;
    }
  };

  /** Its end, or undefined when patience ran out first. */
  const wait = async (question: Question, signal: AbortSignal): Promise<Question | undefined> => {
    const stream = STREAMS.question(question.asker.id, question.id);
    using subscription = (await journal()).subscribe({ stream });
    const until = clock.now() + PATIENCE_MS;
    for (;;) {
      signal.throwIfAborted();
      const now = (await read(stream)) ?? question;
      if (now.status !== "open") return now;
      const left = Math.min(until, now.deadline_at ?? until) - clock.now();
      if (left <= 0) return undefined;
      const stop = new AbortController();
      const either = AbortSignal.any([signal, stop.signal]);
      await Promise.race([subscription.next(either), clock.sleep(left, either).catch(() => undefined)]);
      stop.abort();
    }
  };

  return {
    attended: isAttended,
    attend(asker) {
      attending.set(asker, (attending.get(asker) ?? 0) + 1);
      return {
        [Symbol.dispose]() {
          const left = (attending.get(asker) ?? 0) - 1;
          if (left > 0) attending.set(asker, left);
          else attending.delete(asker);
        },
      };
    },
    put,
    list,
    get,
    async ask(question, signal) {
      const asked = await put(question);
      if (asked.status !== "open") return asked.answer ?? undefined;
      if (!isAttended(asked.asker.id)) throw openQuestionError(asked);
      const ended = await wait(asked, signal);
      if (ended === undefined) throw openQuestionError(asked);
      return ended.answer ?? undefined;
    },
    async answer(id, answer, by) {
      const question = await get(id);
      if (question === undefined) throw unknownQuestion(id);
      if (question.status !== "open") return "too_late";
      const problem = misfit(question.ask, answer);
      if (problem !== undefined)
        throw new SylkError({
          code: "USAGE_ANSWER",
          tier: "user_fixable",
          message: `this is no answer to ${id}: ${problem}`,
          fix: `\`sylk questions ${id}\` shows what may be answered`,
        });
      const given = await screened(answer, screen);
      return (await end(question, EVENTS.question.answered.create({ answer: given }, { actor: by }))) ? "taken" : "too_late";
    },
    async withdraw(id, reason, by) {
      const question = await get(id);
      if (question?.status === "open") await end(question, EVENTS.question.withdrawn.create({ reason }, { actor: by }));
    },
  };
}

export function unknownQuestion(id: string): SylkError {
  return new SylkError({
    code: "QUESTION_NOT_FOUND",
    tier: "user_fixable",
    message: `there is no question ${id}`,
    fix: "`sylk questions` shows what is open",
  });
}

export function endedQuestion(id: string, how = "it was answered already"): SylkError {
  return new SylkError({
    code: "QUESTION_ENDED",
    tier: "user_fixable",
    message: `the question ${id} takes no answer any more: ${how}`,
    fix: "`sylk questions` shows what is open",
  });
}
