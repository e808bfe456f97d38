/** Whether words are plainly a question: nobody who says them wants anything changed. What is not plain is none. */

/** `when` and `where` also begin what is to be done: they need a question mark. */
const BEGINS = /^(?:what|why|how|who|whose|which)(?:'s)?\b/iu;
/** Polite for: do it. */
const ASKS_TO_DO =
  /^(?:please|(?:can|could|would|will|won't|shall|may|might)\s+(?:you|we|i|someone|somebody)\b|(?:how|what)\s+about\b|why\s+(?:not|don't)\b)/iu;
const VERBS = "fix|add|change|remove|rename|implement|update|refactor|delete|create|replace|repair|mend|correct|make|write";
/** A part of it that tells to do something: at its beginning, or about what was asked. */
const TELLS = new RegExp(
  `(?:^|[.?!;:,\\n]\\s*)(?:(?:and|then|so|also|please)\\s+)*(?:${VERBS})\\b|\\band\\s+(?:then\\s+)?(?:${VERBS})\\s+(?:it|them|that|this|these|those|both|all)\\b`,
  "iu",
);

export function isPlainQuestion(text: string): boolean {
  const words = text.trim();
  if (ASKS_TO_DO.test(words) || TELLS.test(words)) return false;
  return words.endsWith("?") || BEGINS.test(words);
}
