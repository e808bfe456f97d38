/** How much each kind of evidence counts, as data. What they rest on stands in docs/knowledge.md. */
export interface CodeWeights {
  /** Best piece of the file, by its words. */
  text: number;
  /** Several good pieces. */
  texts: number;
  /** Nearest piece of the file, by the vectors of its words. */
  near: number;
  /** Earlier changes described alike. */
  commits: number;
  /** The file as a whole: defined names, path. */
  symbols: number;
  path: number;
  /** How often and how lately the file changes. */
  lively: number;
  /** Changes together with the best files. */
  together: number;
  /** Imports, is imported by, tests or is tested by the best files. */
  graph: number;
  /** Named outright. */
  named: number;
  defines: number;
  /** Lock files, data and pictures: part of many a change, but rarely what a question means. */
  unlikely: number;
}

export const CODE_WEIGHTS: CodeWeights = {
  text: 1,
  texts: 0.1,
  near: 1.2,
  commits: 0.4,
  symbols: 0.1,
  path: 0.2,
  lively: 0.05,
  together: 0.05,
  graph: 0.05,
  named: 3,
  defines: 0.5,
  unlikely: 0,
};

export const CODE_SEARCH = {
  /** Entries read to choose what is looked at, and what is then weighed by all words. */
  pieces: { entries: 12_000, weighed: 1_500 },
  commits: { entries: 8_000, weighed: 500 },
  names: { limit: 150, entries: 1_000 },
  /** Nearest by their signs, weighed by their numbers and their words. */
  nearPieces: 400,
  nearCommits: 200,
  /** Nearness against words, when the best piece of a file is chosen to be shown. */
  nearInFile: 0.5,
  /** Commits that speak for files; how much nearness counts against their words; how much more the most alike count. */
  alikeCommits: 60,
  commitNear: 0.7,
  commitSharpness: 4,
  /** The liveliest files are looked at in any case. */
  lively: 60,
  seeds: 6,
};

/** A question looks for the place itself, so what usually changes counts less. */
export const QUESTION_WEIGHTS: CodeWeights = { ...CODE_WEIGHTS, lively: 0, together: 0, unlikely: -0.05 };
