/** Reads a configuration schema as a list of settable paths, by its JSON Schema. */
import { z, type ZodType } from "zod";

export interface Leaf {
  path: string[];
  type: "string" | "number" | "boolean" | "array" | "object";
  /** Safest legal value; used instead of the default when a security key is invalid. */
  strictest?: unknown;
  /** As a user would write it. */
  default?: unknown;
  description?: string | undefined;
}

interface Node {
  type?: string | string[];
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  anyOf?: Node[];
  strictest?: unknown;
  description?: string;
  default?: unknown;
}

export function jsonSchemaOf(schema: ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function typeOf(node: Node): Leaf["type"] {
  const options = node.anyOf ?? [node];
  const types = options.flatMap((option) => option.type ?? []).filter((type) => type !== "null");
  if (types.includes("integer") || types.includes("number")) return "number";
  for (const type of ["boolean", "array", "object"] as const) if (types.includes(type)) return type;
  return "string";
}

/** Every path that holds a value; maps with free keys count as one `object` leaf. */
export function schemaLeaves(schema: ZodType): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (node: Node, path: string[]): void => {
    const body = node.properties === undefined ? (node.anyOf?.find((option) => option.properties !== undefined) ?? node) : node;
    if (body.properties !== undefined && (Object.keys(body.properties).length > 0 || path.length === 0)) {
      for (const [key, child] of Object.entries(body.properties)) visit(child, [...path, key]);
      return;
    }
    leaves.push({
      path,
      type: typeOf(node),
      default: node.default,
      description: node.description,
      ...("strictest" in node ? { strictest: node.strictest } : {}),
    });
  };
  visit(jsonSchemaOf(schema), []);
  return leaves;
}
