export { grammarFor, languageById, languageOf } from "./languages/find-language.ts";
export type { Grammar, ProjectPaths, UsualTool } from "./languages/language.ts";
export { captureCode, type CodeMatch } from "./syntax/parse-code.ts";
export { definitionsIn, type Definition } from "./syntax/definitions.ts";
export { mergeText } from "./merge/merge-text.ts";
export { SIDE_NAMES, type Hunk, type MergedLines } from "./merge/line-merge.ts";
export { unifiedDiff } from "./merge/unified-diff.ts";
