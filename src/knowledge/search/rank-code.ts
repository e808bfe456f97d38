/** Weighs the evidence and orders the files. */
import type { DatabaseSync } from "node:sqlite";
import { createCodeEvidence, type Evidence, type FileEvidence, type Found, type QuestionVectors } from "./code-evidence.ts";
import type { CodeQuery } from "./understand-query.ts";
import { CODE_WEIGHTS, NAME_WEIGHTS, QUESTION_WEIGHTS, type CodeWeights } from "./weights.ts";

export interface RankedFile extends FileEvidence {
  score: number;
}

function weigh(evidence: Evidence, weights: CodeWeights): number {
  let sum = 0;
  for (const name of Object.keys(weights) as (keyof CodeWeights)[]) sum += weights[name] * evidence[name];
  return sum;
}

const SPOKEN: readonly (keyof CodeWeights)[] = ["text", "path", "commits", "named", "defines"];

/** Whether words or names of the question speak for a file, rather than how lively it or its neighbours are. */
export function isSpokenOf(evidence: Evidence): boolean {
  return SPOKEN.some((name) => evidence[name] > 0);
}

/** A lone word is a name only where something is defined under it. */
function weightsFor({ isName, question }: CodeQuery, found: Found): CodeWeights {
  if (isName && found.values().some(({ evidence }) => evidence.defines > 0)) return NAME_WEIGHTS;
  return question ? QUESTION_WEIGHTS : CODE_WEIGHTS;
}

export interface Ranking {
  /** Best first. */
  files: RankedFile[];
  /** What was weighed with. */
  weights: CodeWeights;
}

export interface CodeRanker {
  /** `change` makes other weights of those that fit the question. */
  rank(query: CodeQuery, vectors: QuestionVectors, change?: (fitting: CodeWeights) => CodeWeights): Ranking;
}

export function createCodeRanker(db: DatabaseSync): CodeRanker {
  const gatherer = createCodeEvidence(db);
  return {
    rank(query, vectors, change = (fitting) => fitting) {
      const found = gatherer.gather(query, vectors);
      const weights = change(weightsFor(query, found));
      // How lively a file is says nothing when nothing speaks of what is asked.
      const near = (vectors.files?.size ?? 0) > 0;
      if (!near && !found.values().some(({ evidence }) => isSpokenOf(evidence))) return { files: [], weights };
      const files = [...found.values()]
        .map((file) => ({ ...file, score: weigh(file.evidence, weights) }))
        .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
      return { files, weights };
    },
  };
}
