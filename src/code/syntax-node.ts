/** The little that merging needs of a syntax tree, whoever parsed it. Positions are UTF-16 units. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** False for keywords and punctuation. */
  readonly named: boolean;
  readonly field: string | undefined;
  readonly children: readonly SyntaxNode[];
}

export function childOf(node: SyntaxNode, field: string): SyntaxNode | undefined {
  return node.children.find((child) => child.field === field);
}
