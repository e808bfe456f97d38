/** How much each kind of evidence counts, as data. What they rest on stands in docs/knowledge.md. */
export interface CodeWeights {
  /** Best piece of the file, by its words. */
  text: number;
  /** Nearest piece of the file, by the vectors of its words. */
  near: number;
  /** Earlier changes described alike. */
  commits: number;
  /** Words of its path. */
  path: number;
  /** How often and how lately the file changes. */
  lively: number;
  /** Its path is named outright. */
  named: number;
  /** It defines a name that is asked for. */
  defines: number;
  /** Tests, documents, data: part of many a change, but rarely the place that is asked for. */
  aside: number;
}

export const CODE_WEIGHTS: CodeWeights = {
  text: 0.8,
  near: 1.3,
  commits: 0.7,
  path: 0.2,
  lively: 0.15,
  named: 3,
  defines: 0.5,
  aside: 0,
};

export const CODE_SEARCH = {
  /** Entries read to choose what is looked at, and what is then weighed by all words. */
  pieces: { entries: 12_000, weighed: 1_500 },
  /** In a project of more pieces than this, so much is weighed. */
  large: { pieces: 20_000, weighed: 600 },
  commits: { entries: 8_000, weighed: 500 },
  names: { limit: 150, entries: 1_000 },
  /** Nearest by their signs, weighed by their numbers and their words. */
  nearPieces: 400,
  /** Finding the nearest costs their number times that of all pieces: no more than this, but never fewer than so many. */
  nearWork: 6_000_000,
  fewestNear: 48,
  nearCommits: 200,
  /** Nearness against words, when the best piece of a file is chosen to be shown. */
  nearInFile: 0.5,
  /** Commits that speak for files, how much more the most alike count, and what a file must be given to be given all. */
  alikeCommits: 60,
  commitSharpness: 4,
  alikeEnough: 0.05,
  /** A message that repeats a question word for word scores about so much of what the words are worth. */
  wholeMessage: 1.5,
  /** The liveliest files are looked at in any case. */
  lively: 60,
};

/** A question looks for the place itself, so what usually changes counts less. */
export const QUESTION_WEIGHTS: CodeWeights = { ...CODE_WEIGHTS, lively: 0.1, aside: -0.2 };

/** Asked for a name alone: definitions before uses, uses before tests, tests before documents. */
export const NAME_WEIGHTS: CodeWeights = { ...CODE_WEIGHTS, commits: 0.2, lively: 0, defines: 3, aside: -0.8 };
