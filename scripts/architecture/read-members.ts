/** Which members a module's exported interfaces offer, and which names it reads and gives, by name. */
import { child, children, nameOf, stringValue, type Node } from "./ast.ts";

export interface OfferedMember {
  /** `Interface.member`. */
  name: string;
  line: number;
  /** Something to call, or something that may be left out. */
  kind: "call" | "option";
}

export interface MemberFacts {
  offered: OfferedMember[];
  /** Names read as a member: `x.name`, `{ name } = x`, `x["name"]`, `X["name"]`. */
  read: Set<string>;
  /** Names given as a member: `{ name: … }`, `x.name = …`. */
  given: Set<string>;
  /** Object literals, by their keys. */
  tables: { line: number; keys: string[] }[];
}

const ASSIGNS = new Set(["AssignmentExpression", "UpdateExpression"]);

/** `() => void`, also when it may be undefined. */
function isCallable(type: Node | undefined): boolean {
  if (type === undefined) return false;
  if (type.type === "TSUnionType") return children(type, "types").some(isCallable);
  if (type.type === "TSParenthesizedType") return isCallable(child(type, "typeAnnotation"));
  return type.type === "TSFunctionType";
}

export function createMemberReader(lineAt: (offset: number) => number): {
  facts: MemberFacts;
  look(node: Node, parents: readonly Node[]): void;
} {
  const facts: MemberFacts = { offered: [], read: new Set(), given: new Set(), tables: [] };
  const keyOf = (node: Node): string => (node["computed"] === true ? (stringValue(child(node, "key")) ?? "") : nameOf(child(node, "key")));
  const offer = (owner: string, body: readonly Node[]): void => {
    for (const member of body) {
      const name = keyOf(member);
      if (name === "") continue;
      const type = member.type === "TSPropertySignature" ? child(member, "typeAnnotation") : undefined;
      const callable = member.type === "TSMethodSignature" || isCallable(type === undefined ? undefined : child(type, "typeAnnotation"));
      const line = lineAt(member.start);
      if (callable) facts.offered.push({ name: `${owner}.${name}`, line, kind: "call" });
      if (member["optional"] === true) facts.offered.push({ name: `${owner}.${name}`, line, kind: "option" });
    }
  };
  return {
    facts,
    look(node, parents) {
      const parent = parents.at(-1);
      switch (node.type) {
        case "TSInterfaceDeclaration": {
          const body = child(node, "body");
          if (body !== undefined && parent?.type === "ExportNamedDeclaration") offer(nameOf(child(node, "id")), children(body, "body"));
          break;
        }
        case "MemberExpression": {
          const property = child(node, "property");
          const name = node["computed"] === true ? stringValue(property) : nameOf(property);
          if (name === undefined) break;
          const target = parent !== undefined && ASSIGNS.has(parent.type) && (child(parent, "left") ?? child(parent, "argument")) === node;
          if (target) facts.given.add(name);
          if (!target || parent["operator"] !== "=") facts.read.add(name);
          break;
        }
        case "TSIndexedAccessType": {
          const literal = child(node, "indexType");
          const name = literal === undefined ? undefined : stringValue(child(literal, "literal"));
          if (name !== undefined) facts.read.add(name);
          break;
        }
        case "ObjectPattern":
          for (const property of children(node, "properties")) if (property.type === "Property") facts.read.add(keyOf(property));
          break;
        case "ObjectExpression": {
          const keys = children(node, "properties").flatMap((property) => (property.type === "Property" ? [keyOf(property)] : []));
          for (const key of keys) facts.given.add(key);
          facts.tables.push({ line: lineAt(node.start), keys });
          break;
        }
        default:
      }
    },
  };
}
