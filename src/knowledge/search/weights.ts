/** How much each kind of evidence counts, as data. Fitted on the history of several public projects in five languages; see docs/knowledge.md. */
export interface CodeWeights {
  /** Best piece of the file. */
  chunk: number;
  /** Several good pieces. */
  chunks: number;
  /** The file as a whole: text, defined names, path. */
  body: number;
  symbols: number;
  path: number;
  /** Earlier changes described alike. */
  commits: number;
  /** The same, only the most alike counting. */
  alike: number;
  /** The same, against how much the file changes anyway. */
  lift: number;
  /** How often and how lately the file changes. */
  lively: number;
  /** Changes together with the best files. */
  together: number;
  /** Imports, is imported by, tests or is tested by the best files. */
  graph: number;
  vector: number;
  /** Named outright. */
  named: number;
  defines: number;
  /** Lock files, data and pictures are rarely what is meant. */
  unlikely: number;
}

export const CODE_WEIGHTS: CodeWeights = {
  chunk: 0.6,
  chunks: 0.25,
  body: 0.2,
  symbols: 0.1,
  path: 0.6,
  commits: 1,
  alike: 0,
  lift: 0,
  lively: 0.25,
  together: 0.35,
  graph: 0.2,
  vector: 0.2,
  named: 3,
  defines: 0.55,
  unlikely: -0.02,
};

export const CODE_SEARCH = {
  /** Words of the rest of a long question count so much against its first line. */
  restWeight: 0.4,
  fileHits: 150,
  chunkHits: 250,
  commitHits: 120,
  vectorHits: 48,
  /** Terms in more than this share of pieces are left out when enough others remain. */
  commonShare: 0.25,
  keepTerms: 4,
  /** A commit's evidence is divided by the number of its files to this power. */
  commitSpread: 0.5,
  commitSharpness: 2,
  seeds: 6,
};

/** A question looks for the place itself, so what usually changes counts less, and so do tests. */
export const QUESTION_WEIGHTS: CodeWeights = {
  ...CODE_WEIGHTS,
  body: 0.4,
  symbols: 0.3,
  commits: 0.6,
  lively: 0.1,
  together: 0.15,
  defines: 0.8,
};
