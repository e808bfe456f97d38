/**
 * At a terminal, what a run of this process waits for is asked where it runs, one question after the other, and
 * answered like from anywhere else. When somebody else was quicker the prompt goes away and the run goes on.
 */
import type { Question } from "../../protocol/index.ts";
import { isAbort, isSylkError } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";
import { promptQuestion } from "./prompt-question.ts";

type AnswerOutcome = "answered" | "elsewhere";

/** Asks until it is answered here or elsewhere; Ctrl+C stops the work as it does everywhere. */
async function answerHere(cli: CliContext, question: Question, ended: AbortSignal): Promise<AnswerOutcome> {
  const { questions } = await cli.app();
  for (;;) {
    const answer = await promptQuestion(question, cli.out, AbortSignal.any([cli.signal, ended]));
    if (ended.aborted) {
      cli.out.note("answered elsewhere");
      return "elsewhere";
    }
    if (answer === undefined) throw cli.interrupt();
    try {
      await questions.answer(question.id, answer, cli.signal);
      return "answered";
    } catch (error) {
      if (isSylkError(error, "QUESTION_ENDED")) return "elsewhere";
      if (!isSylkError(error) || error.tier !== "user_fixable") throw error;
      // Words that cannot be used, a key that is refused: it is asked again.
      cli.out.error(error);
    }
  }
}

async function follow(cli: CliContext, stop: AbortSignal): Promise<void> {
  const { questions } = await cli.app();
  let asking: { id: string; ended: AbortController; done: Promise<void> } | undefined;
  for await (const open of questions.awaited(stop)) {
    if (asking !== undefined && !open.some(({ id }) => id === asking?.id)) {
      asking.ended.abort();
      await asking.done;
      asking = undefined;
    }
    const [next] = open;
    if (asking !== undefined || next === undefined) continue;
    const ended = new AbortController();
    const done = answerHere(cli, next, ended.signal).then(
      () => undefined,
      (error: unknown) => {
        if (!isAbort(error)) cli.out.error(error);
      },
    );
    asking = { id: next.id, ended, done };
  }
  asking?.ended.abort();
  await asking?.done;
}

/** A question nobody in this process waits for: asked here, unless it is answered elsewhere first. */
export async function answerRested(cli: CliContext, id: string): Promise<AnswerOutcome> {
  const { questions } = await cli.app();
  const stop = new AbortController();
  const ended = new AbortController();
  const watching = questions.ended(id, stop.signal).then(
    () => ended.abort(),
    () => undefined,
  );
  try {
    return await answerHere(cli, await questions.find(id), ended.signal);
  } finally {
    stop.abort();
    await watching;
  }
}

/** Runs the work; where a person is, its questions are asked meanwhile. */
export async function withQuestions<T>(cli: CliContext, work: () => Promise<T>): Promise<T> {
  if (!cli.attended) return work();
  const stop = new AbortController();
  const following = follow(cli, stop.signal);
  try {
    return await work();
  } finally {
    stop.abort();
    await following;
  }
}
