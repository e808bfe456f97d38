/**
 * What merging knows of a language: which nodes are lists, what names an item, and which additions
 * may stand in any order. Whatever is not listed is text that only one side may change.
 */
import { childOf, type SyntaxNode } from "../syntax-node.ts";

export interface ListRule {
  /** Items are separated by one of these; absent: by lines. */
  separators?: readonly string[];
  commutes?: boolean;
  sortable?: boolean;
  /** Only children under this field are items. */
  itemField?: string;
  /** Only children of this type are items, and the node counts as a list only in brackets. */
  itemType?: string;
}

export interface MergeRules {
  lists: Readonly<Record<string, ListRule>>;
  /** Nodes that belong to the item after them. */
  trivia: ReadonlySet<string>;
  /** The name of an item; undefined: known by its content. */
  nameOf(node: SyntaxNode, text: (node: SyntaxNode) => string, parent: SyntaxNode): string | undefined;
  independent(node: SyntaxNode, text: (node: SyntaxNode) => string, parent: SyntaxNode): boolean;
  /** Items of these types make the order of their list matter. */
  ordering: ReadonlySet<string>;
  indented: boolean;
}

export const set = (...names: string[]): ReadonlySet<string> => new Set(names);
export const comma: ListRule = { separators: [","], commutes: true };
export const lines: ListRule = { commutes: true };
export const ordered: ListRule = {};

/** The declared name, looking through wrappers such as `export` and decorators. */
export function declared(node: SyntaxNode, text: (node: SyntaxNode) => string, wrappers: ReadonlySet<string>): string | undefined {
  const inner = wrappers.has(node.type) ? (childOf(node, "declaration") ?? childOf(node, "definition")) : node;
  const name = inner === undefined ? undefined : childOf(inner, "name");
  return inner === undefined || name === undefined ? undefined : `${inner.type}:${text(name)}`;
}
