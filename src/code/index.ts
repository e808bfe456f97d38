export { grammarFor, languageById, languageOf } from "./languages/find-language.ts";
export type { Grammar, ProjectPaths, UsualTool } from "./languages/language.ts";
export { captureCode, type CodeMatch } from "./syntax/parse-code.ts";
export { definitionsIn, type Definition } from "./syntax/definitions.ts";
export { changedSymbols } from "./syntax/changed-symbols.ts";
export { mergeText } from "./merge/merge-text.ts";
