import { text as readAll } from "node:stream/consumers";
import { SylkError, shortIds } from "../../../kernel/index.ts";
import type { Input } from "../../../protocol/api/index.ts";
import { optionsOf, type Question } from "../../../protocol/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { answerRested } from "../answer-inline.ts";

type GivenAnswer = Input<"question.answer">["answer"];

const piped = async (): Promise<string> => (process.stdin.isTTY ? "" : (await readAll(process.stdin)).trim());

function noAnswer(question: Question): SylkError {
  const options = optionsOf(question.ask).map(({ value }) => value);
  return new SylkError({
    code: "USAGE_ANSWER",
    tier: "user_fixable",
    message: `no answer was given to: ${question.message}`,
    fix: options.length === 0 ? `\`sylk answer ${question.id} "your words"\`` : `one of ${options.join(", ")}`,
  });
}

async function secretOf(question: Question, words: readonly string[]): Promise<GivenAnswer> {
  if (words.length === 1 && words[0] === "deny") return { kind: "chosen", value: "deny" };
  if (words.length > 0)
    throw new SylkError({
      code: "USAGE_SECRET_ON_COMMAND_LINE",
      tier: "user_fixable",
      message: "a secret on the command line stays in your shell's history; it was not used",
      fix: `pipe it in: \`sylk answer ${question.id} < file\`, or leave it out and be asked`,
    });
  const value = await piped();
  if (value === "") throw noAnswer(question);
  return { kind: "secret", value };
}

/** From the words of the command line, or from a pipe. */
async function answerOf(question: Question, words: readonly string[]): Promise<GivenAnswer> {
  if (question.ask.kind === "secret") return secretOf(question, words);
  const [value, ...rest] = words;
  if (question.ask.kind === "text") {
    const text = value === undefined || (value === "-" && rest.length === 0) ? await piped() : words.join(" ");
    if (text.trim() === "") throw noAnswer(question);
    return { kind: "said", text };
  }
  if (value === undefined) throw noAnswer(question);
  const counted = optionsOf(question.ask).find((option) => option.words === "amount");
  // An amount alone says enough where one is asked for.
  if (counted !== undefined && rest.length === 0 && Number(value) > 0) return { kind: "chosen", value: counted.value, words: value };
  const more = rest.length === 1 && rest[0] === "-" ? await piped() : rest.join(" ");
  return { kind: "chosen", value, ...(more === "" ? {} : { words: more }) };
}

/** Whether somebody still waits, went on to the end at once, or it has to be taken up again. */
async function nextStep(cli: CliContext, { asker, session }: Question): Promise<string> {
  const short = shortIds.shorten(asker.id);
  if (asker.kind === "skill") return `if nobody waits for it any more, go on with \`sylk skill resume ${short}\``;
  if (asker.kind === "request" || asker.kind === "pipeline") {
    const { running, end } = await cli.query({ type: "request.show", id: session });
    if (end !== undefined) return "it went on and is over";
    return running ? "it goes on" : `go on with \`${cli.out.word("session resume")}\``;
  }
  const { status } = await cli.query({ type: "task.show", id: asker.id });
  // Whoever ran it may have been quicker than this look.
  if (status === "complete" || status === "cancelled") return "the task went on and is over";
  return status === "running" ? "the task goes on" : `go on with \`${cli.out.word(`task resume ${short}`)}\``;
}

async function atPrompt(cli: CliContext, question: Question): Promise<Question> {
  await answerRested(cli, question.id);
  return cli.query({ type: "question.show", id: question.id });
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("<id>", "of the question; the last characters are enough")
      .argument("[answer...]", "a choice, with words where it takes some, or words alone; asked for at a terminal, read from a pipe")
      .addHelpText(
        "after",
        '\n`sylk questions` shows what is open and what may be answered. The first answer counts, wherever it comes from.\n\nExamples:\n  $ sylk answer 4m2kq7ds once\n  $ sylk answer 4m2kq7ds deny "use pnpm, not npm"\n  $ sylk answer 7hq3x0vz "the second option"\n  $ sylk answer 2n8wz4rc < key.txt',
      )
      .action(async (id: string, words: string[]) => {
        const question = await cli.query({ type: "question.show", id });
        const asks = words.length === 0 && cli.attended && question.status === "open";
        const answered = asks
          ? await atPrompt(cli, question)
          : await cli.send({ type: "question.answer", id: question.id, answer: await answerOf(question, words) });
        const next = await nextStep(cli, answered);
        out.result({ id: answered.id, asker: answered.asker, answer: answered.answer, next }, () => `answered; ${next}`);
      });
  },
};
