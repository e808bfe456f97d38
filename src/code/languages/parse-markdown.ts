/**
 * Markdown cut into sections, paragraphs, lists, tables and fences. It never fails: what is not
 * recognised is a paragraph. Front matter is one block.
 */
import { must } from "../../kernel/index.ts";
import type { SyntaxNode } from "../syntax-node.ts";

interface Line {
  text: string;
  start: number;
  /** End without the line break. */
  end: number;
}

function linesOf(source: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < source.length;) {
    const newline = source.indexOf("\n", at);
    const end = newline === -1 ? source.length : newline;
    lines.push({ text: source.slice(at, end).replace(/\r$/u, ""), start: at, end });
    at = end + 1;
  }
  return lines;
}

const HEADING = /^(#{1,6})\s+\S/u;
const FENCE = /^\s{0,3}(`{3,}|~{3,})/u;
const BULLET = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+/u;
const ROW = /^\s*\|.*\|\s*$/u;

const leaf = (type: string, lines: readonly Line[], field?: string, children: SyntaxNode[] = []): SyntaxNode => ({
  type,
  start: must(lines[0]).start,
  end: must(lines.at(-1)).end,
  named: true,
  field,
  children,
});

/** Lines that go on with the list item that began at `indent`. */
function itemEnd(lines: readonly Line[], from: number, indent: number): number {
  let at = from + 1;
  for (; at < lines.length; at += 1) {
    const line = must(lines[at]);
    if (line.text.trim() === "") {
      const next = lines.slice(at + 1).find((other) => other.text.trim() !== "");
      if (next === undefined || /^\s*/u.exec(next.text)?.[0].length === undefined || (/^\s*/u.exec(next.text)?.[0].length ?? 0) <= indent)
        return at;
    } else if (
      (/^\s*/u.exec(line.text)?.[0].length ?? 0) <= indent &&
      (BULLET.test(line.text) || HEADING.test(line.text) || FENCE.test(line.text))
    )
      return at;
  }
  return at;
}

function listFrom(lines: readonly Line[], from: number): { node: SyntaxNode; next: number } {
  const indent = BULLET.exec(must(lines[from]).text)?.[1]?.length ?? 0;
  const items: SyntaxNode[] = [];
  let at = from;
  while (at < lines.length) {
    const bullet = BULLET.exec(must(lines[at]).text);
    if (bullet === null || (bullet[1]?.length ?? 0) !== indent) break;
    const end = itemEnd(lines, at, indent);
    const body = lines.slice(at, end);
    while (body.length > 1 && body.at(-1)?.text.trim() === "") body.pop();
    items.push(leaf("list_item", body, "item"));
    at = end;
    let ahead = at;
    while (ahead < lines.length && must(lines[ahead]).text.trim() === "") ahead += 1;
    const more = ahead < lines.length ? BULLET.exec(must(lines[ahead]).text) : null;
    if (more === null || (more[1]?.length ?? 0) !== indent) break;
    at = ahead;
  }
  const first = must(items[0]);
  return {
    node: { type: "list", start: first.start, end: must(items.at(-1)).end, named: true, field: "block", children: items },
    next: at,
  };
}

function tableFrom(lines: readonly Line[], from: number): { node: SyntaxNode; next: number } {
  let at = from;
  while (at < lines.length && ROW.test(must(lines[at]).text)) at += 1;
  const rows = lines.slice(from, at);
  const head = rows.length > 2 && /^[\s|:-]+$/u.test(must(rows[1]).text) ? 2 : 0;
  const children = [
    ...(head === 2 ? [leaf("table_head", rows.slice(0, 2), "head")] : []),
    ...rows.slice(head).map((row) => leaf("table_row", [row], "row")),
  ];
  return { node: leaf("table", rows, "block", children), next: at };
}

function blocksOf(lines: readonly Line[]): SyntaxNode[] {
  const blocks: SyntaxNode[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = must(lines[at]);
    if (line.text.trim() === "") {
      at += 1;
      continue;
    }
    const fence = FENCE.exec(line.text)?.[1];
    if (fence !== undefined) {
      let end = at + 1;
      while (end < lines.length && !must(lines[end]).text.trim().startsWith(fence)) end += 1;
      blocks.push(leaf("fence", lines.slice(at, Math.min(end + 1, lines.length)), "block"));
      at = end + 1;
    } else if (BULLET.test(line.text)) {
      const { node, next } = listFrom(lines, at);
      blocks.push(node);
      at = next;
    } else if (ROW.test(line.text)) {
      const { node, next } = tableFrom(lines, at);
      blocks.push(node);
      at = next;
    } else {
      let end = at + 1;
      while (
        end < lines.length &&
        must(lines[end]).text.trim() !== "" &&
        !BULLET.test(must(lines[end]).text) &&
        !FENCE.test(must(lines[end]).text) &&
        !ROW.test(must(lines[end]).text)
      )
        end += 1;
      blocks.push(leaf("paragraph", lines.slice(at, end), "block"));
      at = end;
    }
  }
  return blocks;
}

/** Lines that are headings, fences respected. */
function headings(lines: readonly Line[]): Map<number, number> {
  const found = new Map<number, number>();
  let fence: string | undefined;
  for (const [i, line] of lines.entries()) {
    const mark = FENCE.exec(line.text)?.[1];
    if (fence !== undefined) {
      if (line.text.trim().startsWith(fence)) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else {
      const level = HEADING.exec(line.text)?.[1]?.length;
      if (level !== undefined) found.set(i, level);
    }
  }
  return found;
}

export function parseMarkdown(source: string): SyntaxNode {
  const lines = linesOf(source);
  const levels = headings(lines);
  const sectionsOf = (from: number, to: number): SyntaxNode[] => {
    const first = [...levels.keys()].find((line) => line >= from && line < to) ?? to;
    const nodes = blocksOf(lines.slice(from, first));
    for (let at = first; at < to;) {
      const level = must(levels.get(at));
      const next = [...levels].find(([line, other]) => line > at && line < to && other <= level)?.[0] ?? to;
      const heading = leaf("heading", [must(lines[at])], "heading");
      const children = sectionsOf(at + 1, next);
      nodes.push({
        type: "section",
        start: heading.start,
        end: children.at(-1)?.end ?? heading.end,
        named: true,
        field: "block",
        children: [heading, ...children],
      });
      at = next;
    }
    return nodes;
  };
  let body = 0;
  const front: SyntaxNode[] = [];
  if (lines[0]?.text === "---") {
    const end = lines.findIndex((line, i) => i > 0 && line.text === "---");
    if (end > 0) {
      front.push(leaf("front_matter", lines.slice(0, end + 1), "block"));
      body = end + 1;
    }
  }
  for (const line of levels.keys()) if (line < body) levels.delete(line);
  return {
    type: "document",
    start: 0,
    end: source.length,
    named: true,
    field: undefined,
    children: [...front, ...sectionsOf(body, lines.length)],
  };
}
