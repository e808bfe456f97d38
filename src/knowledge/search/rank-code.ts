/** Weighs the evidence and orders the files. */
import type { DatabaseSync } from "node:sqlite";
import { createCodeEvidence, type Evidence, type FileEvidence, type QuestionVectors } from "./code-evidence.ts";
import type { CodeQuery } from "./understand-query.ts";
import { CODE_SEARCH, CODE_WEIGHTS, QUESTION_WEIGHTS, type CodeWeights } from "./weights.ts";

export interface RankedFile extends FileEvidence {
  score: number;
}

function weigh(evidence: Evidence, weights: CodeWeights): number {
  let sum = 0;
  for (const name of Object.keys(weights) as (keyof CodeWeights)[]) sum += weights[name] * evidence[name];
  return sum;
}

const SPOKEN: readonly (keyof CodeWeights)[] = ["text", "symbols", "path", "commits", "named", "defines"];

/** Whether words or names of the question speak for a file, rather than how lively it or its neighbours are. */
export function isSpokenOf(evidence: Evidence): boolean {
  return SPOKEN.some((name) => evidence[name] > 0);
}

export interface CodeRanker {
  rank(query: CodeQuery, vectors: QuestionVectors, weights?: CodeWeights): RankedFile[];
}

export function createCodeRanker(db: DatabaseSync): CodeRanker {
  const gatherer = createCodeEvidence(db);
  return {
    rank(query, vectors, weights = query.question ? QUESTION_WEIGHTS : CODE_WEIGHTS) {
      const found = gatherer.gather(query, vectors);
      // How lively a file is says nothing when nothing speaks of what is asked.
      const near = (vectors.files?.size ?? 0) > 0;
      if (!near && ![...found.values()].some(({ evidence }) => isSpokenOf(evidence))) return [];
      const first = [...found.values()].map((file) => ({ file, score: weigh(file.evidence, weights) })).sort((a, b) => b.score - a.score);
      gatherer.spreadFrom(found, first.slice(0, CODE_SEARCH.seeds));
      return [...found.values()]
        .map((file) => ({ ...file, score: weigh(file.evidence, weights) }))
        .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
    },
  };
}
