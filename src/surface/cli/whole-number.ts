import { SylkError, wording } from "../../kernel/index.ts";

export function countIsZero(name: string): SylkError {
  return new SylkError({ code: "USAGE_NOT_A_NUMBER", tier: "user_fixable", message: `${name} needs at least 1, got 0` });
}

/** How many of something, at least one. */
export function countFrom1(name: string, text: string): number {
  const count = wholeNumber(name, text);
  if (count === 0) throw countIsZero(name);
  return count;
}

/** A count given on the command line. */
export function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/u.test(text))
    throw new SylkError({
      code: "USAGE_NOT_A_NUMBER",
      tier: "user_fixable",
      message: `${name} needs a whole number, got ${wording.shorten(text, 40)}`,
    });
  return Number(text);
}

const HIGHEST_PORT = 65_535;

export function portOf(text: string): number {
  const port = wholeNumber("--port", text);
  if (port <= HIGHEST_PORT) return port;
  throw new SylkError({
    code: "USAGE_BAD_OPTION",
    tier: "user_fixable",
    message: `--port cannot be ${wording.shorten(text, 20)}`,
    fix: `use 0 (any free one) to ${HIGHEST_PORT}`,
  });
}
