/** JSON with comments and trailing commas, with positions. Undefined when it is neither. */
import type { SyntaxNode } from "../syntax-node.ts";

const MAX_DEPTH = 200;

class JsonStop extends Error {}

export function parseJson(source: string): SyntaxNode | undefined {
  let at = 0;
  const node = (type: string, start: number, children: SyntaxNode[] = [], field?: string): SyntaxNode => ({
    type,
    start,
    end: at,
    named: /^[a-z]/u.test(type),
    field,
    children,
  });

  const space = (into: SyntaxNode[]): void => {
    for (;;) {
      const blank = /^\s+/u.exec(source.slice(at, at + 4_096))?.[0].length ?? 0;
      at += blank;
      const start = at;
      if (source.startsWith("//", at)) at = source.indexOf("\n", at) === -1 ? source.length : source.indexOf("\n", at);
      else if (source.startsWith("/*", at)) {
        const end = source.indexOf("*/", at);
        if (end === -1) throw new JsonStop();
        at = end + 2;
      } else if (blank === 0) return;
      if (at > start) into.push(node("comment", start));
    }
  };
  const mark = (text: string, into: SyntaxNode[]): boolean => {
    if (source[at] !== text) return false;
    at += 1;
    into.push(node(text, at - 1));
    return true;
  };
  const scalar = (field?: string): SyntaxNode => {
    const start = at;
    const found = /^(?:"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/u.exec(source.slice(at, at + 65_536))?.[0];
    if (found === undefined) throw new JsonStop();
    at += found.length;
    return node(found.startsWith('"') ? "string" : "scalar", start, [], field);
  };
  const value = (depth: number, field?: string): SyntaxNode => {
    if (depth > MAX_DEPTH) throw new JsonStop();
    const c = source[at];
    if (c !== "{" && c !== "[") return scalar(field);
    const start = at;
    const children: SyntaxNode[] = [];
    const close = c === "{" ? "}" : "]";
    mark(c, children);
    for (;;) {
      space(children);
      if (mark(close, children)) break;
      if (c === "{") {
        const from = at;
        const pair: SyntaxNode[] = [];
        pair.push(scalar("key"));
        space(pair);
        if (!mark(":", pair)) throw new JsonStop();
        space(pair);
        pair.push(value(depth + 1, "value"));
        children.push(node("pair", from, pair));
      } else children.push(value(depth + 1));
      space(children);
      if (!mark(",", children) && source[at] !== close) throw new JsonStop();
    }
    return node(c === "{" ? "object" : "array", start, children, field);
  };
  try {
    const children: SyntaxNode[] = [];
    space(children);
    children.push(value(0));
    space(children);
    if (at !== source.length) return undefined;
    return { type: "document", start: 0, end: source.length, named: true, field: undefined, children };
  } catch (error) {
    if (error instanceof JsonStop) return undefined;
    throw error;
  }
}
