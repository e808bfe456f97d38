/** What a line-wise merge of three texts says, whoever does it: the workspace asks git. */
export interface Hunk {
  /** Line in the merged text with markers, from 1. */
  line: number;
  base: string;
  ours: string;
  theirs: string;
}

export interface MergedLines {
  /** With conflict markers where `hunks` is not empty. */
  text: string;
  hunks: Hunk[];
}

/** The sides of a merge as the user who merges sees them, in conflict markers and messages. */
export const SIDE_NAMES = { theirs: "your folder", base: "before", ours: "the task" } as const;

/** Undefined for binary content. */
export type MergeLines = (base: string, ours: string, theirs: string) => Promise<MergedLines | undefined>;
