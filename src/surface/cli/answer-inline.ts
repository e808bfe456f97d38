/**
 * At a terminal, what a run asks is asked where it was started, one question after the other, and answered like
 * from anywhere else. When somebody else was quicker the prompt goes away and the run goes on.
 */
import type { Question } from "../../protocol/index.ts";
import { isAbort, SylkError } from "../../kernel/index.ts";
import { hasEnded, openQuestions } from "../follow-questions.ts";
import { nowAsked } from "./asked-here.ts";
import type { CliContext } from "./command.ts";
import { promptQuestion } from "./prompt-question.ts";
import { signsOf } from "./signs.ts";

type AnswerOutcome = "answered" | "elsewhere";

/** Asks until it is answered here or elsewhere; Ctrl+C stops the work as it does everywhere. */
async function answerHere(cli: CliContext, question: Question, ended: AbortSignal): Promise<AnswerOutcome> {
  using signs = await signsOf(cli);
  signs.needsYou(question.message);
  using _asked = nowAsked(question.id);
  for (;;) {
    const answer = await promptQuestion(question, cli, AbortSignal.any([cli.signal, ended]));
    if (ended.aborted) {
      cli.out.note("answered elsewhere");
      return "elsewhere";
    }
    if (answer === undefined) throw cli.interrupt();
    try {
      await cli.send({ type: "question.answer", id: question.id, answer });
      return "answered";
    } catch (error) {
      if (SylkError.is(error, "QUESTION_ENDED")) return "elsewhere";
      if (!SylkError.is(error) || error.tier !== "user_fixable") throw error;
      // Words that cannot be used, a key that is refused: it is asked again.
      cli.out.error(error);
    }
  }
}

async function follow(cli: CliContext, asker: string, stop: AbortSignal): Promise<void> {
  let asking: { id: string; ended: AbortController; done: Promise<void> } | undefined;
  const ask = (question: Question): NonNullable<typeof asking> => {
    const ended = new AbortController();
    const done = answerHere(cli, question, ended.signal).then(
      () => undefined,
      (error: unknown) => {
        if (!isAbort(error)) cli.out.error(error);
      },
    );
    return { id: question.id, ended, done };
  };
  try {
    for await (const open of openQuestions(await cli.api(), asker, stop)) {
      if (asking !== undefined && !open.some(({ id }) => id === asking?.id)) {
        asking.ended.abort();
        await asking.done;
        asking = undefined;
      }
      // For words and plans a run rests; they are asked for when it does.
      const next = open.find(({ ask: { kind } }) => kind !== "text" && kind !== "plan");
      if (asking === undefined && next !== undefined) asking = ask(next);
    }
  } catch (error) {
    // Whether it can go on without is the run's to say.
    if (!stop.aborted && !isAbort(error)) cli.out.error(error);
  } finally {
    asking?.ended.abort();
    await asking?.done;
  }
}

/**
 * A question its run rests for: asked here, unless it is answered elsewhere first. Whoever leaves it is told that it
 * waits, and which words go on with it.
 */
export async function answerRested(cli: CliContext, id: string, goOn?: string): Promise<AnswerOutcome> {
  const question = await cli.query({ type: "question.show", id });
  if (question.status !== "open") return "elsewhere";
  const stop = new AbortController();
  const ended = new AbortController();
  const watching = hasEnded(await cli.api(), question, stop.signal).then(
    (isOver) => {
      if (isOver) ended.abort();
    },
    () => undefined,
  );
  try {
    return await answerHere(cli, question, ended.signal);
  } catch (error) {
    if (goOn !== undefined && cli.signal.aborted)
      cli.out.note(`not answered; it waits: ${cli.out.word("questions")}, go on with: ${cli.out.word(goOn)}`);
    throw error;
  } finally {
    stop.abort();
    await watching;
  }
}

/**
 * Does the work of a request; where a user is, a plan that was changed is reviewed while its pieces go on. One that is
 * open when the work rests is answered first.
 */
export async function withChangedPlans<T>(cli: CliContext, id: string, work: () => Promise<T>): Promise<T> {
  if (!cli.attended) return work();
  const stop = new AbortController();
  const review = async (): Promise<void> => {
    for await (const open of openQuestions(await cli.api(), id, AbortSignal.any([cli.signal, stop.signal]))) {
      const plan = open.find(({ ask }) => ask.kind === "plan");
      if (plan === undefined) continue;
      const { pieces } = await cli.query({ type: "request.show", id });
      // For the first one everything rests, and it is asked about then.
      if (pieces > 0) await answerRested(cli, plan.id);
    }
  };
  const reviewing = review().catch((error: unknown) => {
    if (!stop.signal.aborted && !isAbort(error)) cli.out.error(error);
  });
  try {
    return await work();
  } finally {
    stop.abort();
    await reviewing;
  }
}

/** Does the work of a run; where a user is, what it asks is asked meanwhile, though not before it `began` to be shown. */
export async function withQuestions<T>(
  cli: CliContext,
  asker: string | undefined,
  work: () => Promise<T>,
  began: Promise<void> = Promise.resolve(),
): Promise<T> {
  if (!cli.attended || asker === undefined) return work();
  const stop = new AbortController();
  const over = Promise.withResolvers<void>();
  const following = Promise.race([began, over.promise]).then(() => (stop.signal.aborted ? undefined : follow(cli, asker, stop.signal)));
  try {
    return await work();
  } finally {
    stop.abort();
    over.resolve();
    await following;
  }
}
