/** Requirements that exclude each other by their words: the same statement, once affirmed and once denied. */
import { must } from "../../kernel/index.ts";
const NEGATION = /\b(must not|should not|shall not|may not|do not|does not|don't|doesn't|never|without|no longer|not|no)\b/gi;
const EMPTY = new Set([
  "must",
  "should",
  "shall",
  "the",
  "and",
  "that",
  "with",
  "for",
  "all",
  "any",
  "are",
  "has",
  "have",
  "will",
  "its",
  "this",
  "when",
  "then",
  "into",
  "from",
  "only",
  "always",
  "every",
  "be",
  "is",
  "to",
  "of",
  "in",
  "a",
  "an",
  "it",
  "on",
]);
const SAME = 0.8;

function content(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll(NEGATION, " ");
  return new Set(
    plain
      .split(/[^a-z0-9_./-]+/)
      .filter((word) => word.length > 1 && !EMPTY.has(word))
      .map((word) => word.replace(/(ies|es|s)$/, "")),
  );
}

function denied(text: string): boolean {
  return (text.match(NEGATION)?.length ?? 0) % 2 === 1;
}

/** `at most 3 …` against `at least 5 …` of the same thing. */
function bounds(text: string): { kind: "most" | "least"; n: number } | undefined {
  const match = /\b(at most|no more than|under|below|at least|no less than|no fewer than|over|above)\s+(\d+(?:\.\d+)?)/i.exec(text);
  if (match === null) return undefined;
  return { kind: /most|more than|under|below/i.test(must(match[1])) ? "most" : "least", n: Number(match[2]) };
}

function overlap(a: Set<string>, b: Set<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / Math.max(1, Math.min(a.size, b.size));
}

export function contradictions(statements: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (const [i, a] of statements.entries()) {
    for (const b of statements.slice(i + 1)) {
      const [wordsA, wordsB] = [content(a), content(b)];
      if (Math.min(wordsA.size, wordsB.size) < 2) continue;
      const [boundA, boundB] = [bounds(a), bounds(b)];
      if (boundA !== undefined && boundB !== undefined) {
        const most = boundA.kind === "most" ? boundA : boundB.kind === "most" ? boundB : undefined;
        const least = boundA.kind === "least" ? boundA : boundB.kind === "least" ? boundB : undefined;
        const bare = (words: Set<string>): Set<string> =>
          new Set(
            [...words].filter(
              (word) =>
                !/^\d/.test(word) &&
                !["least", "most", "more", "than", "les", "fewer", "under", "below", "over", "above", "at"].includes(word),
            ),
          );
        if (most !== undefined && least !== undefined && least.n > most.n && overlap(bare(wordsA), bare(wordsB)) >= SAME)
          found.push([a, b]);
        continue;
      }
      if (denied(a) !== denied(b) && overlap(wordsA, wordsB) >= SAME) found.push([a, b]);
    }
  }
  return found;
}
