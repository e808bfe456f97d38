/** Tree-sitter behind one function. Grammars are loaded once, on first use. */
import { createRequire } from "node:module";
import { Language, Parser, type Node } from "web-tree-sitter";
import type { SyntaxNode } from "./syntax-node.ts";

/** Grammar file → extensions it reads. */
const GRAMMARS: Readonly<Record<string, readonly string[]>> = {
  typescript: [".ts", ".mts", ".cts"],
  tsx: [".tsx", ".jsx"],
  javascript: [".js", ".mjs", ".cjs"],
  python: [".py", ".pyi"],
  go: [".go"],
  rust: [".rs"],
  java: [".java"],
};

const loaded = new Map<string, Promise<Parser>>();

export function grammarFor(extension: string): string | undefined {
  return Object.keys(GRAMMARS).find((name) => GRAMMARS[name]?.includes(extension));
}

function parserFor(grammar: string): Promise<Parser> {
  let parser = loaded.get(grammar);
  if (parser === undefined) {
    parser = (async () => {
      await Parser.init();
      const file = createRequire(import.meta.url).resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
      const made = new Parser();
      made.setLanguage(await Language.load(file));
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
