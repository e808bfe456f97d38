import { SylkError } from "../../kernel/index.ts";

/** A count given on the command line. */
export function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/u.test(text))
    throw new SylkError({ code: "USAGE_NOT_A_NUMBER", tier: "user_fixable", message: `${name} needs a whole number, got ${text}` });
  return Number(text);
}
