/** Texts line by line: differences and the words of a merge, without the grammars that know more of them. */
export { SIDE_NAMES, type Hunk, type MergedLines, type MergeLines } from "./line-merge.ts";
export { equalPairs } from "./equal-pairs.ts";
export { linesOf } from "./lines-of.ts";
export { movedRange } from "./moved-range.ts";
export { unifiedDiff } from "./unified-diff.ts";
