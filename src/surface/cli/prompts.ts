/**
 * Questions to the person at the terminal, with the words of others made visible. Undefined is the
 * answer of somebody who pressed Ctrl+C or Escape.
 */
import { visibleLine } from "./visible-text.ts";

interface Asked {
  message: string;
  signal?: AbortSignal | undefined;
}

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string | undefined;
}

const asked = ({ message, signal }: Asked): { message: string; signal?: AbortSignal } => ({
  message: visibleLine(message),
  ...(signal === undefined ? {} : { signal }),
});

export async function askChoice<T extends string>(question: Asked & { options: readonly Choice<T>[] }): Promise<T | undefined> {
  const { isCancel, select } = await import("@clack/prompts");
  const options = question.options.map(({ value, label, hint }) => ({
    value: value as string,
    label: visibleLine(label),
    ...(hint === undefined ? {} : { hint: visibleLine(hint) }),
  }));
  const answer = await select<string>({ ...asked(question), options });
  return isCancel(answer) ? undefined : (answer as T);
}

/** No is where the cursor stands. */
export async function askYesNo(question: Asked): Promise<boolean | undefined> {
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ ...asked(question), initialValue: false });
  return isCancel(answer) ? undefined : answer;
}

export async function askText(
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

/** What is typed is not shown. */
export async function askHidden(question: Asked): Promise<string | undefined> {
  const { isCancel, password } = await import("@clack/prompts");
  const answer = await password(asked(question));
  return isCancel(answer) ? undefined : answer;
}
