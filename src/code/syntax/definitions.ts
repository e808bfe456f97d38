/** Where the definitions of a piece of code stand, by its syntax. The piece may begin and end anywhere in a file. */
import { must } from "../../kernel/index.ts";
import path from "node:path";
import type { SyntaxNode } from "../syntax-node.ts";
import { grammarFor, languageOf } from "../languages/find-language.ts";
import { parseCode } from "./parse-code.ts";

/** Lines of the text, from 1. */
export interface Definition {
  from: number;
  to: number;
}

const MAX_DEPTH = 6;

function linesOf(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (must(starts[middle]) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Undefined for a language that is not known here. */
export async function definitionsIn(file: string, text: string): Promise<Definition[] | undefined> {
  const extension = path.extname(file).toLowerCase();
  const grammar = grammarFor(extension);
  if (grammar === undefined) return undefined;
  const language = languageOf(extension);
  const defining = new Set(language?.defines);
  /** What holds further definitions worth naming; the inside of a function does not. */
  const holding = new Set(["ERROR", ...(language?.holds ?? [])]);
  using parsed = await parseCode(grammar.name, text);
  if (parsed === undefined) return undefined;
  const line = linesOf(text);
  const found: Definition[] = [];
  const walk = (node: SyntaxNode, depth: number, inFunction: boolean): void => {
    for (const child of node.children) {
      const defines = defining.has(child.type);
      if (defines && !inFunction) {
        const one = { from: line(child.start), to: line(Math.max(child.start, child.end - 1)) };
        // A wrapper (export, decorator) and what it wraps are one definition.
        if (found.at(-1)?.from !== one.from) found.push(one);
      }
      if (depth < MAX_DEPTH && holding.has(child.type))
        walk(child, depth + 1, inFunction || (/^(?:statement_)?block$/.test(child.type) && isFunction(node)));
    }
  };
  walk(parsed.root, 0, false);
  return found;
}

function isFunction(node: SyntaxNode): boolean {
  return /function|method|constructor|arrow/.test(node.type);
}
