/**
 * What merging knows of a language: which nodes are lists, what names an item, and which additions
 * may stand in any order. Whatever is not listed is text that only one side may change.
 */
import { childOf, type SyntaxNode } from "../syntax-node.ts";

type TextOf = (node: SyntaxNode) => string;

export interface ListRule {
  /** Items are separated by one of these; absent: by lines. */
  separators?: readonly string[];
  /** A set: imports, named members, keys. Never a sequence, whose order says something. */
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
  nameOf(node: SyntaxNode, text: TextOf, parent: SyntaxNode): string | undefined;
  independent(node: SyntaxNode, text: TextOf, parent: SyntaxNode): boolean;
  /** The names an item binds where it stands, each with its name space; one name is bound once. */
  binds(node: SyntaxNode, text: TextOf, parent: SyntaxNode): readonly string[];
  /** What the item does is done when its place is reached: two such additions have an order. */
  acts(node: SyntaxNode, text: TextOf): boolean;
  /** Where the kind of a list does not tell whether it is a set: its owner does. */
  isSet?(list: SyntaxNode, text: TextOf, owner: SyntaxNode, file: string): boolean | undefined;
  /** Lists whose items get numbers, places or values from their order. */
  numbering?: Numbering;
  /** Items of these types make the order of their list matter. */
  ordering: ReadonlySet<string>;
  indented: boolean;
}

export interface Numbering {
  /** A text without this has none. */
  sign: RegExp;
  /** The items in order; undefined: not such a list. `before` is what stands before its owner: attributes. */
  of(node: SyntaxNode, text: TextOf, before: string): { items: readonly string[]; counted: boolean } | undefined;
}

const CALLS =
  /^(?:call_expression|call|new_expression|await_expression|await|yield|yield_expression|update_expression|assignment_expression|augmented_assignment_expression|method_invocation|object_creation_expression|static_initializer|class_static_block)$/u;
const LATER =
  /^(?:arrow_function|function_expression|function_declaration|generator_function|generator_function_declaration|method_definition|method_declaration|constructor_declaration|lambda|lambda_expression|function_definition|func_literal|closure_expression|type_annotation)$/u;

/** Something is called in it, and not only later. */
export function calls(node: SyntaxNode): boolean {
  return CALLS.test(node.type) || (!LATER.test(node.type) && node.children.some((child) => child.named && calls(child)));
}

export const never = (): false => false;
export const none = (): readonly string[] => [];
export const set = (...names: string[]): ReadonlySet<string> => new Set(names);
export const comma: ListRule = { separators: [","], commutes: true };
/** Items of a sequence: an array, the elements of a literal. */
export const sequence: ListRule = { separators: [","] };
export const lines: ListRule = { commutes: true };
export const ordered: ListRule = {};

/** The declared name, looking through wrappers such as `export` and decorators. */
export function declared(node: SyntaxNode, text: TextOf, wrappers: ReadonlySet<string>): string | undefined {
  const inner = wrappers.has(node.type) ? (childOf(node, "declaration") ?? childOf(node, "definition")) : node;
  const name = inner === undefined ? undefined : childOf(inner, "name");
  return inner === undefined || name === undefined ? undefined : `${inner.type}:${text(name)}`;
}
