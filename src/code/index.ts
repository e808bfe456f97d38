export { captureCode, grammarFor, type CodeMatch } from "./syntax/parse-code.ts";
export { definitionsIn, type Definition } from "./syntax/definitions.ts";
export { mergeText } from "./merge/merge-text.ts";
export type { Hunk, MergedLines } from "./merge/line-merge.ts";
export { unifiedDiff } from "./merge/unified-diff.ts";
