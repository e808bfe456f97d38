/** Tree-sitter behind one function. Grammars are loaded once, on first use. */
import { createRequire } from "node:module";
import type * as treeSitterTypes from "web-tree-sitter";
import type { Language, Node, Parser, Query } from "web-tree-sitter";
import type { SyntaxNode } from "../syntax-node.ts";

type TreeSitter = Pick<typeof treeSitterTypes, "Language" | "Parser" | "Query">;

/** Loaded with the first file that needs it: most runs parse nothing. */
let treeSitter: Promise<TreeSitter> | undefined;
const loaded = new Map<string, Promise<Parser>>();

async function load(): Promise<TreeSitter> {
  const module = await import("web-tree-sitter");
  await module.Parser.init();
  return module;
}

function parserFor(grammar: string): Promise<Parser> {
  let parser = loaded.get(grammar);
  if (parser === undefined) {
    parser = (async () => {
      const { Language: Grammar, Parser: CodeParser } = await (treeSitter ??= load());
      const file = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
      const made = new CodeParser();
      made.setLanguage(await Grammar.load(file));
      return made;
    })();
    loaded.set(grammar, parser);
  }
  return parser;
}

function copy(node: Node, field: string | undefined): SyntaxNode {
  let children: SyntaxNode[] | undefined;
  return {
    type: node.type,
    start: node.startIndex,
    end: node.endIndex,
    named: node.isNamed,
    field,
    get children() {
      children ??= node.children.map((child, i) => copy(child, node.fieldNameForChild(i) ?? undefined));
      return children;
    },
  };
}

export interface ParsedCode extends Disposable {
  root: SyntaxNode;
  /** Something could not be parsed. */
  broken: boolean;
}

export async function parseCode(grammar: string, text: string): Promise<ParsedCode | undefined> {
  const tree = (await parserFor(grammar)).parse(text);
  if (tree === null) return undefined;
  return { root: copy(tree.rootNode, undefined), broken: tree.rootNode.hasError, [Symbol.dispose]: () => tree.delete() };
}

/** One node a query captured; lines count from 1. */
export interface CapturedNode {
  name: string;
  type: string;
  text: string;
  start: number;
  end: number;
  line: number;
  endLine: number;
}

export type CodeMatch = readonly CapturedNode[];

const queries = new Map<string, Query>();

/** Runs a tree-sitter query over the text. Undefined when the parser gives up. */
export async function captureCode(
  grammar: string,
  text: string,
  source: string,
): Promise<{ matches: CodeMatch[]; broken: boolean } | undefined> {
  const parser = await parserFor(grammar);
  const { Query: CodeQuery } = await (treeSitter ??= load());
  const tree = parser.parse(text);
  if (tree === null) return undefined;
  try {
    const key = `${grammar}\n${source}`;
    let query = queries.get(key);
    if (query === undefined) queries.set(key, (query = new CodeQuery(parser.language as Language, source)));
    const matches = query.matches(tree.rootNode).map((match) =>
      match.captures.map(({ name, node }) => ({
        name,
        type: node.type,
        text: name.startsWith("def") ? "" : node.text,
        start: node.startIndex,
        end: node.endIndex,
        line: node.startPosition.row + 1,
        endLine: node.endPosition.row + 1,
      })),
    );
    return { matches, broken: tree.rootNode.hasError };
  } finally {
    tree.delete();
  }
}
