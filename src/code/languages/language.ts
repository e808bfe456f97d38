/** What is known of one language. A language is one file in this folder and its line in `all-languages.ts`. */
import type { SyntaxNode } from "../syntax-node.ts";
import type { MergeRules } from "./merge-rules.ts";

/** A tree-sitter grammar that reads the language. */
export interface Grammar {
  /** As in the name of its file. */
  name: string;
  /** Absent: all endings of the language. */
  extensions?: readonly string[];
  /**
   * What the index takes from a text, as a tree-sitter query. Captures: `def.<kind>` with `name`, and
   * `call`, `import`, `extends`, `implements`, `reference`.
   */
  query: string;
}

/** The files of a project, for finding what an import means. */
export interface ProjectPaths {
  has(file: string): boolean;
  /** Files whose path ends with these whole segments. */
  endingWith(tail: string): readonly string[];
  inFolder(folder: string): readonly string[];
}

/** Offered when a project configures nothing. */
export interface UsualTool {
  id: string;
  /** How to get it, where there is one way. */
  install?: readonly string[];
}

export interface Language {
  id: string;
  /** Lower case, with the dot. */
  extensions: readonly string[];
  grammars?: readonly Grammar[];
  merge?: MergeRules;
  /** Syntax nodes that define something worth naming, and those that hold further definitions. */
  defines?: readonly string[];
  holds?: readonly string[];
  /** Files of the project that an import in `from` means. */
  filesOf?(from: string, spec: string, paths: ProjectPaths): string[];
  /** A test by the end of its name without the ending, where the language has its own habit. */
  testName?: RegExp;
  /** Scripts in package.json speak for it. */
  packageScripts?: boolean;
  tools: Readonly<Partial<Record<"linter" | "formatter" | "type_checker" | "lsp" | "test_framework", UsualTool>>>;
}

/** A text with structure that is no program: known to merging only. */
export interface TextFormat {
  extensions: readonly string[];
  merge: MergeRules;
  parse(text: string): SyntaxNode | undefined;
}
