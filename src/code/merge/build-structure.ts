/** Cuts a parsed text into containers and items. What is cut and put together again is the same text. */
import { must } from "../../kernel/index.ts";
import type { MergeRules, ListRule } from "../languages/merge-rules.ts";
import { bodyOf, squeeze, type Container, type Item, type Part } from "./structure.ts";
import type { SyntaxNode } from "../syntax-node.ts";

const BRACKETS = new Set(["{", "(", "[", "}", ")", "]", "<", ">"]);

interface Gap {
  trail: string;
  lead: string;
  separated: boolean;
}

/** What stands between two items: the end of the first one's line, and what leads to the next. */
function cutGap(gap: string, separator: string | undefined): Gap | undefined {
  let text = gap;
  let separated = false;
  if (separator !== undefined) {
    const at = text.search(/\S/u);
    if (at !== -1 && text.startsWith(separator, at)) {
      // A separator on a line of its own would change places when the list is written anew.
      if (text.slice(0, at).includes("\n")) return undefined;
      text = text.slice(0, at) + text.slice(at + separator.length);
      separated = true;
    } else if (text.includes(separator) && /^\s*(?:\/\/|\/\*|#)/u.test(text)) {
      const end = text.indexOf("\n");
      if ((end === -1 ? text : text.slice(end)).trimStart().startsWith(separator)) return undefined;
    }
  }
  const newline = text.indexOf("\n");
  if (newline !== -1) return { trail: text.slice(0, newline), lead: text.slice(newline), separated };
  const marks = separator === undefined ? (/^\s*[;,]/u.exec(text)?.[0] ?? "") : "";
  return { trail: marks, lead: text.slice(marks.length), separated };
}

/** A comment above a blank line at the top speaks for the whole list, not for its first item. */
function cutHeader(lead: string): { header: string; lead: string } {
  const blank = /^[\s\S]*\S[^\n]*\n(?=[ \t]*\n)/u.exec(lead)?.[0] ?? "";
  return { header: blank, lead: lead.slice(blank.length) };
}

export function buildContainer(root: SyntaxNode, source: string, grammar: MergeRules, file: string): Container {
  const text = (node: SyntaxNode): string => source.slice(node.start, node.end);

  const itemsOf = (node: SyntaxNode, rule: ListRule): readonly SyntaxNode[] => {
    if (rule.itemField !== undefined) return node.children.filter((child) => child.field === rule.itemField);
    if (rule.itemType !== undefined) return node.children.filter((child) => child.type === rule.itemType);
    return node.children.filter((child) => child.named && !grammar.trivia.has(child.type));
  };

  /** Where the list's own text begins and ends; undefined when the node is not written as a list. */
  const span = (node: SyntaxNode, rule: ListRule): { from: number; start: number; end: number } | undefined => {
    const bracket = node.children.findIndex((child) => !child.named && BRACKETS.has(child.type));
    const last = node.children.at(-1);
    const open = bracket === -1 ? undefined : node.children[bracket];
    const closed = last !== undefined && !last.named && BRACKETS.has(last.type);
    if (rule.itemType !== undefined && (open === undefined || !closed)) return undefined;
    if (open !== undefined && closed) return { from: open.start, start: open.end, end: last.start };
    const first = itemsOf(node, rule)[0];
    if (rule.itemField !== undefined) {
      const before = node.children.filter((child) => first === undefined || child.start < first.start).at(-1);
      const start = before === undefined ? node.start : before.end;
      return first === undefined ? undefined : { from: start, start, end: node.end };
    }
    // A block without brackets owns the line break and the indentation before it.
    const back = /\n[ \t\n]*$/u.exec(source.slice(0, node.start));
    const start = node === root ? 0 : back === null ? node.start : node.start - back[0].length;
    return { from: start, start, end: node === root ? source.length : node.end };
  };

  const listsIn = (node: SyntaxNode, found: { node: SyntaxNode; rule: ListRule; from: number; end: number }[]): typeof found => {
    const rule = grammar.lists[node.type];
    const place = rule === undefined ? undefined : span(node, rule);
    if (rule !== undefined && place !== undefined) {
      const close = node.children.at(-1);
      const end = close !== undefined && close.start === place.end ? close.end : place.end;
      found.push({ node, rule, from: place.from, end });
    } else for (const child of node.children) if (child.named) listsIn(child, found);
    return found;
  };

  const partsOf = (node: SyntaxNode): Part[] => {
    const parts: Part[] = [];
    let at = node.start;
    for (const list of listsIn(node, [])) {
      const container = containerOf(list.node, list.rule, node);
      if (container === undefined) continue;
      parts.push({ kind: "text", text: source.slice(at, list.from) }, { kind: "container", container });
      at = list.end;
    }
    parts.push({ kind: "text", text: source.slice(at, node.end) });
    return parts;
  };

  const itemOf = (node: SyntaxNode, parent: SyntaxNode): Item => {
    const parts = partsOf(node);
    const name = grammar.nameOf(node, text, parent);
    const frame = parts.map((part) => (part.kind === "text" ? part.text : "{}")).join("");
    // Imports are known by where they import from, not by the names they list.
    const key =
      name ??
      `${node.type}:${squeeze(/import|use_declaration|export_statement/u.test(node.type) ? frame : parts.length === 1 ? frame : text(node))}`;
    return {
      kind: node.type,
      key,
      named: name !== undefined,
      declares: key,
      independent: grammar.independent(node, text, parent),
      binds: grammar.binds(node, text, parent),
      acts: grammar.acts(node, text),
      lead: "",
      parts,
      trail: "",
    };
  };

  const containerOf = (node: SyntaxNode, rule: ListRule, owner: SyntaxNode): Container | undefined => {
    const place = span(node, rule);
    if (place === undefined) return undefined;
    const nodes = itemsOf(node, rule);
    const between = nodes.slice(1).map((child, i) => source.slice(must(nodes[i]).end, child.start));
    const separator =
      rule.separators === undefined
        ? undefined
        : (rule.separators.find((mark) => between.some((gap) => gap.trimStart().startsWith(mark))) ??
          rule.separators.find((mark) =>
            source
              .slice(nodes.at(-1)?.end ?? 0, place.end)
              .trimStart()
              .startsWith(mark),
          ) ??
          rule.separators[0]);
    const gaps: Gap[] = [];
    for (const gap of between) {
      const cut = cutGap(gap, separator);
      if (cut === undefined || (separator !== undefined && !cut.separated)) return undefined;
      gaps.push(cut);
    }
    const first = nodes[0];
    const start = source.slice(place.from, place.start);
    const closing = node.children.at(-1);
    const end = closing !== undefined && closing.start === place.end ? source.slice(place.end, closing.end) : "";
    const inOrder = nodes.some((child) => grammar.ordering.has(child.type));
    const shape = {
      kind: node.type,
      separator,
      commutes: (grammar.isSet?.(node, text, owner, file) ?? rule.commutes === true) && !inOrder,
      sortable: rule.sortable === true && !inOrder,
    };
    if (first === undefined)
      return { ...shape, open: start, close: source.slice(place.start, place.end) + end, items: [], trailing: false };
    const before = source.slice(place.start, first.start);
    const sameLine = before.indexOf("\n");
    const opening = start !== "" && sameLine > 0 && before.slice(0, sameLine).trim() !== "" ? before.slice(0, sameLine) : "";
    const { header, lead } = cutHeader(before.slice(opening.length));
    const after = cutGap(source.slice(must(nodes.at(-1)).end, place.end), separator);
    if (after === undefined) return undefined;
    const items = nodes.map((child, i) => ({
      ...itemOf(child, node),
      lead: i === 0 ? lead : must(gaps[i - 1]).lead,
      trail: (gaps[i] ?? after).trail,
    }));
    return { ...shape, open: start + opening + header, close: after.lead + end, items: distinct(items), trailing: after.separated };
  };

  const rule = grammar.lists[root.type] ?? {};
  return (
    containerOf(root, rule, root) ?? {
      kind: root.type,
      open: source,
      close: "",
      items: [],
      separator: undefined,
      trailing: false,
      commutes: false,
      sortable: false,
    }
  );
}

/** Items that share a name (overloads, repeated cases) are told apart by their content. */
function distinct(items: Item[]): Item[] {
  const counts = Map.groupBy(items, (item) => item.key);
  return items.map((item) =>
    (counts.get(item.key)?.length ?? 0) > 1 && item.named ? { ...item, key: `${item.kind}:${squeeze(bodyOf(item))}`, named: false } : item,
  );
}
