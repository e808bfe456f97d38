import { SylkError } from "../../kernel/index.ts";

/** The words of a question as one text; none is a mistake. */
export function queryOf(words: readonly string[], fix: string): string {
  const text = words.join(" ").trim();
  if (text === "") throw new SylkError({ code: "USAGE_NO_QUERY", tier: "user_fixable", message: "nothing to look for", fix });
  return text;
}
