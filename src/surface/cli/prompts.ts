/**
 * Questions to the user at the terminal, with the words of others made visible. Undefined is the
 * answer of somebody who pressed Ctrl+C or Escape.
 */
import { must } from "../../kernel/index.ts";
import { holdLines } from "./held-lines.ts";
import { cursorOf, followTyping, type Choice } from "./typed-choice.ts";
import { visibleLine } from "./visible-text.ts";

interface Asked {
  message: string;
  signal?: AbortSignal | undefined;
}

interface AskedChoice<T> extends Asked {
  options: readonly Choice<T>[];
  initial?: T | undefined;
  /** Where words point that fit nothing; as `initial` unless given. */
  unknown?: T | undefined;
}

const asked = ({ message, signal }: Asked): { message: string; signal?: AbortSignal } => ({
  message: visibleLine(message),
  ...(signal === undefined ? {} : { signal }),
});

export interface Prompts {
  /** What was asked and answered stays to be read. */
  readonly leavesTrace: boolean;
  /** The cursor stands at `initial`, or at the first; arrows move it, and so does what is typed; Tab chooses an option's `tab`. */
  choice<T extends string>(question: AskedChoice<T>): Promise<T | undefined>;
  /** No is where the cursor stands. */
  yesNo(question: Asked): Promise<boolean | undefined>;
  text(
    question: Asked & { placeholder?: string; initialValue?: string; validate?: (value: string) => string | undefined },
  ): Promise<string | undefined>;
  /** What is typed is not shown; in a session, unless `shows` says that it is nothing secret. */
  hidden(question: Asked & { shows?: (typed: string) => boolean }): Promise<string | undefined>;
}

/** Whether the prompt that is opened next is being left. It listens first: the prompt draws its end with the same key. */
function watchLeaving(signal: AbortSignal | undefined): Disposable & { readonly isLeft: boolean } {
  let isLeft = false;
  const pressed = (text: string | undefined, key: { name?: string } | undefined): void => {
    isLeft = text === "\u0003" || key?.name === "escape";
  };
  process.stdin.prependListener("keypress", pressed);
  return {
    get isLeft() {
      return isLeft || signal?.aborted === true;
    },
    [Symbol.dispose]: () => void process.stdin.off("keypress", pressed),
  };
}

async function askChoice<T extends string>(question: AskedChoice<T>): Promise<T | undefined> {
  const { isCancel, select, settings } = await import("@clack/prompts");
  // Letters are for words here, not for moving.
  for (const letter of "hjkl") settings.aliases.delete(letter);
  using leaving = watchLeaving(question.signal);
  const options = question.options.map(({ value, label, hint }) => ({
    value: value as string,
    // Where it was left, the choice the cursor stood at would look like the answer.
    get label() {
      return leaving.isLeft ? "" : visibleLine(label);
    },
    ...(hint === undefined ? {} : { hint: visibleLine(hint) }),
  }));
  const cursor = cursorOf(question.options, question);
  const answering = select<string>({ ...asked(question), options, initialValue: must(options[cursor.initial]).value });
  using typing = followTyping(process.stdin, question.options, cursor);
  const answer = await answering;
  return isCancel(answer) ? undefined : (typing.tabbed ?? (answer as T));
}

async function askYesNo(question: Asked): Promise<boolean | undefined> {
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ ...asked(question), initialValue: false });
  return isCancel(answer) ? undefined : answer;
}

async function askText(
  question: Asked & { placeholder?: string; initialValue?: string; validate?: (value: string) => string | undefined },
): Promise<string | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const { placeholder, initialValue, validate } = question;
  const answer = await text({
    ...asked(question),
    ...(placeholder === undefined ? {} : { placeholder: visibleLine(placeholder) }),
    ...(initialValue === undefined ? {} : { initialValue: visibleLine(initialValue) }),
    ...(validate === undefined ? {} : { validate: (value) => validate(value ?? "") }),
  });
  return isCancel(answer) ? undefined : answer;
}

async function askHidden(question: Asked): Promise<string | undefined> {
  const { isCancel, password } = await import("@clack/prompts");
  const answer = await password(asked(question));
  return isCancel(answer) ? undefined : answer;
}

/** One after the other, below what was printed. */
export const linePrompts: Prompts = {
  leavesTrace: true,
  choice: (question) => alone(() => askChoice(question)),
  yesNo: (question) => alone(() => askYesNo(question)),
  text: (question) => alone(() => askText(question)),
  hidden: (question) => alone(() => askHidden(question)),
};

async function alone<T>(ask: () => Promise<T>): Promise<T> {
  using _held = holdLines();
  return await ask();
}
