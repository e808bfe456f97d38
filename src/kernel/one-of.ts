/** A choice a user typed, checked against what is allowed. */
import { shorten } from "./short-text.ts";
import { SylkError } from "./errors.ts";

export function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  throw new SylkError({
    code: "USAGE_NOT_ONE_OF",
    tier: "user_fixable",
    message: `${name} cannot be ${value === "" ? "empty" : shorten(value, 40)}`,
    fix: `choose one of ${allowed.join(", ")}`,
  });
}
