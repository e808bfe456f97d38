import { SylkError } from "./errors.ts";

export function noPlace(message: string, cause?: unknown): SylkError {
  return new SylkError({
    code: "HOME_UNUSABLE",
    tier: "user_fixable",
    message: `${message}, so there is no place for Sylk's own files`,
    fix: "set HOME to a folder of yours that you can write to, or SYLK_HOME to one for Sylk alone",
    cause,
  });
}
