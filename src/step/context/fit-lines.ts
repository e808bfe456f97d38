/** Cutting text to a number of tokens at line boundaries, with the real tokenizer. */
import { must, wording } from "../../kernel/index.ts";
import { countTokens } from "../../model/index.ts";

const MAX_LINE_CHARS = 300;

/** What the mark takes is not saved by cutting. */
const MARK_CHARS = 20;

export function shortLine(text: string, max = MAX_LINE_CHARS): string {
  return text.length <= max + MARK_CHARS ? text : `${wording.shorten(text, max + 1)} (+${text.length - max} characters)`;
}

/** Characters of code to a token, on the careful side; only the first guess depends on it. */
const CHARS_PER_TOKEN = 3.2;
const MAX_ROUNDS = 6;

function linesWithin(lines: readonly string[], chars: number): number {
  let count = 0;
  for (let used = 0; count < lines.length; count += 1) {
    used += must(lines[count]).length + 1;
    if (used > chars) break;
  }
  return count;
}

/** How many leading lines fit. A guess by length, corrected by real counts; counting is what costs. */
export function fitLines(lines: readonly string[], roomTokens: number): number {
  let chars = roomTokens * CHARS_PER_TOKEN;
  let best = 0;
  let over = lines.length + 1;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const guess = Math.min(Math.max(linesWithin(lines, chars), best), over - 1);
    if (guess <= best && round > 0) break;
    const text = lines.slice(0, guess).join("\n");
    const tokens = countTokens(text);
    if (tokens <= roomTokens) {
      best = Math.max(best, guess);
      // Near enough: another count would cost more than the lines are worth.
      if (guess === lines.length || tokens > roomTokens * 0.85) break;
    } else over = guess;
    chars = (text.length / Math.max(1, tokens)) * roomTokens * 0.97;
  }
  return best;
}

/** First and last lines with the number left out between them (CTX-014). */
export function headAndTail(text: string, roomTokens: number): string {
  const lines = text.split("\n").map((line) => shortLine(line));
  if (countTokens(lines.join("\n"), roomTokens) <= roomTokens) return lines.join("\n");
  const marker = 12;
  const head = fitLines(lines, Math.max(0, Math.floor((roomTokens - marker) * 0.6)));
  const tail = fitLines(lines.toReversed(), Math.max(0, Math.floor((roomTokens - marker) * 0.4)));
  const omitted = lines.length - head - tail;
  if (omitted <= 0) return lines.join("\n");
  return [...lines.slice(0, head), `… ${omitted} lines omitted …`, ...lines.slice(lines.length - tail)].join("\n");
}
