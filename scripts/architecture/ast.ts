/** The little the checks need of a syntax tree. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

export function child(node: Node, key: string): Node | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

export function children(node: Node, key: string): Node[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function nameOf(node: Node | undefined): string {
  if (node === undefined) return "";
  if (node.type === "Literal") return String(node["value"]);
  return typeof node["name"] === "string" ? node["name"] : "";
}

export function dotted(node: Node | undefined): string {
  if (node === undefined) return "";
  if (node.type === "Identifier") return nameOf(node);
  if (node.type === "ThisExpression") return "this";
  if (node.type === "MetaProperty") return "import.meta";
  if (node.type === "ChainExpression") return dotted(child(node, "expression"));
  if (node.type !== "MemberExpression") return "";
  const property = child(node, "property");
  return `${dotted(child(node, "object"))}.${property?.type === "PrivateIdentifier" ? `#${nameOf(property)}` : nameOf(property)}`;
}

export function stringValue(node: Node | undefined): string | undefined {
  return node?.type === "Literal" && typeof node["value"] === "string" ? node["value"] : undefined;
}

/** A string, or the fixed beginning of a template. */
export function stringStart(node: Node | undefined): string | undefined {
  if (node?.type !== "TemplateLiteral") return stringValue(node);
  const first = children(node, "quasis")[0]?.["value"] as { cooked?: string } | undefined;
  return first?.cooked === "" ? undefined : first?.cooked;
}
