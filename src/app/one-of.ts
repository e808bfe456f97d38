/** A choice a person typed, checked against what is allowed. */
import { SylkError } from "../kernel/index.ts";

export function oneOf(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value))
    throw new SylkError({
      code: "USAGE_MEMORY_ENTRY",
      tier: "user_fixable",
      message: `${name} cannot be ${value}`,
      fix: `one of ${allowed.join(", ")}`,
    });
}
