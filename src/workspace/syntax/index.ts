/** Tree-sitter for whoever reads code: merging here, knowledge above. Loads nothing else of the workspace. */
export { captureCode, grammarFor, parseCode, type CodeMatch, type CapturedNode } from "./parse-code.ts";
export { definitionsIn, type Definition } from "./definitions.ts";
