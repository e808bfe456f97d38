/**
 * Lists whose order gives their items numbers or places (enumerations, counted constants, laid out
 * fields). When both sides change such a list, every merge of it gives something another number than
 * one side meant.
 */
import type { Numbering } from "../languages/merge-rules.ts";
import { childOf, type SyntaxNode } from "../syntax-node.ts";

export interface NumberedList {
  /** The names of what it stands in. */
  at: string;
  items: readonly string[];
  counted: boolean;
}

export function numberedLists(root: SyntaxNode, source: string, numbering: Numbering): NumberedList[] {
  if (!numbering.sign.test(source)) return [];
  const text = (node: SyntaxNode): string => source.slice(node.start, node.end);
  const lists: NumberedList[] = [];
  const visit = (node: SyntaxNode, at: string, before: string): void => {
    const list = numbering.of(node, text, before);
    if (list !== undefined) lists.push({ at, ...list });
    let attributes = "";
    for (const child of node.children) {
      if (!child.named) continue;
      if (child.type === "attribute_item") attributes += text(child);
      else {
        const name = child.type.endsWith("_body") ? undefined : childOf(child, "name");
        visit(child, name === undefined ? at : `${at}/${text(name)}`, attributes === "" ? before : attributes);
        attributes = "";
      }
    }
  };
  visit(root, "", "");
  return lists;
}

const shared = (a: readonly string[], b: readonly string[]): number => a.filter((item) => b.includes(item)).length;

function counterpart(list: NumberedList, others: readonly NumberedList[]): NumberedList | undefined {
  return others.filter((other) => other.at === list.at).toSorted((a, b) => shared(list.items, b.items) - shared(list.items, a.items))[0];
}

/** The first list that both sides changed, each in its own way. */
export function renumbered(
  base: readonly NumberedList[],
  ours: readonly NumberedList[],
  theirs: readonly NumberedList[],
): NumberedList | undefined {
  return base.find((list) => {
    const [o, t] = [counterpart(list, ours), counterpart(list, theirs)];
    if (o === undefined || t === undefined || !(o.counted || t.counted)) return false;
    const [was, mine, other] = [list.items.join("\0"), o.items.join("\0"), t.items.join("\0")];
    return mine !== was && other !== was && mine !== other;
  });
}
