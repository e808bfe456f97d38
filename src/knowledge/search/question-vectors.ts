import { wordVectors } from "../text/word-vectors.ts";
import type { QuestionVectors } from "./code-evidence.ts";

/** What the shipped table makes of a question; nothing where it cannot be used. */
export function questionVectors(text: string): QuestionVectors {
  const table = wordVectors();
  if (table.kind === "unusable") return { piece: undefined, saying: undefined };
  return { piece: table.vectors.question(text), saying: table.vectors.saying(text) };
}
