/** Cutting text to a number of tokens at line boundaries, with the real tokenizer. */
import { countTokens } from "../../model/index.ts";

const MAX_LINE_CHARS = 300;

export function shortLine(text: string, max = MAX_LINE_CHARS): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (+${text.length - max} characters)`;
}

/** How many leading lines fit. Every fragment is counted once; the search halves the guess. */
export function fitLines(lines: readonly string[], roomTokens: number): number {
  let low = 0;
  let high = lines.length;
  // A token is rarely longer than four characters, so this guess is near the answer.
  let chars = 0;
  let guess = 0;
  while (guess < lines.length && chars < roomTokens * 4) chars += (lines[guess++] as string).length + 1;
  high = Math.min(high, guess);
  if (countTokens(lines.slice(0, high).join("\n")) <= roomTokens) return high;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (countTokens(lines.slice(0, middle).join("\n")) <= roomTokens) low = middle;
    else high = middle;
  }
  return low;
}

/** First and last lines with the number left out between them (CTX-014). */
export function headAndTail(text: string, roomTokens: number): string {
  const lines = text.split("\n").map((line) => shortLine(line));
  if (countTokens(lines.join("\n")) <= roomTokens) return lines.join("\n");
  const marker = 12;
  const head = fitLines(lines, Math.max(0, Math.floor((roomTokens - marker) * 0.6)));
  const tail = fitLines(lines.toReversed(), Math.max(0, Math.floor((roomTokens - marker) * 0.4)));
  const omitted = lines.length - head - tail;
  if (omitted <= 0) return lines.join("\n");
  return [...lines.slice(0, head), `… ${omitted} lines omitted …`, ...lines.slice(lines.length - tail)].join("\n");
}
