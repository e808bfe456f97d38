/** How much each kind of evidence counts, as data. Chosen on the history of eighteen public projects in seven languages; see docs/knowledge.md. */
export interface CodeWeights {
  /** Best piece of the file. */
  chunk: number;
  /** Several good pieces. */
  chunks: number;
  /** The file as a whole: defined names, path. */
  symbols: number;
  path: number;
  /** Earlier changes described alike. */
  commits: number;
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
  /** Lock files, data and pictures: part of many a change, but rarely what a question means. */
  unlikely: number;
}

export const CODE_WEIGHTS: CodeWeights = {
  chunk: 0.6,
  chunks: 0.15,
  symbols: 0.1,
  path: 0.65,
  commits: 0.85,
  lively: 0.25,
  together: 0.2,
  graph: 0.2,
  vector: 0.1,
  named: 3,
  defines: 0.5,
  unlikely: 0,
};

export const CODE_SEARCH = {
  /** Words of the rest of a long question count so much against its first line. */
  restWeight: 0.4,
  /** Hits kept of each full text, and entries looked at for the first line and for the rest, as long as the rarest word allows. */
  bounds: {
    chunks: { limit: 250, head: 2_000, rest: 1_000 },
    symbols: { limit: 150, head: 1_000, rest: 400 },
    path: { limit: 150, head: 1_000, rest: 400 },
    commits: { limit: 120, head: 1_500, rest: 800 },
  },
  vectorHits: 48,
  /** Up to so many pieces the built-in vectors are always asked. */
  alwaysNear: 20_000,
  /** The liveliest files are looked at in any case. */
  lively: 60,
  /** A commit's evidence is divided by the number of its files to this power. */
  commitSpread: 0.5,
  commitSharpness: 2,
  seeds: 6,
};

/** A question looks for the place itself, so what usually changes counts less, and so do tests. */
export const QUESTION_WEIGHTS: CodeWeights = {
  ...CODE_WEIGHTS,
  symbols: 0.3,
  commits: 0.6,
  lively: 0.1,
  together: 0.15,
  defines: 0.8,
  unlikely: -0.05,
};
