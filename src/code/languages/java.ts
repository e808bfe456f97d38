import { childOf, type SyntaxNode } from "../syntax-node.ts";
import type { Language, ProjectPaths } from "./language.ts";
import { calls, lines, ordered, sequence, set, type MergeRules } from "./merge-rules.ts";

const query = `
(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(record_declaration name: (identifier) @name) @def.class
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.variable
(superclass (type_identifier) @extends)
(super_interfaces (type_list (type_identifier) @implements))
(method_invocation name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(import_declaration (scoped_identifier) @import)
`;

const merge: MergeRules = {
  trivia: set("line_comment", "block_comment"),
  ordering: set(),
  indented: false,
  lists: {
    program: ordered,
    block: ordered,
    class_body: lines,
    interface_body: lines,
    enum_body_declarations: lines,
    array_initializer: sequence,
  },
  nameOf(node, text) {
    const declarators = node.type === "field_declaration" ? node.children.filter((child) => child.field === "declarator") : [];
    const name = childOf(declarators.length === 1 ? (declarators[0] as SyntaxNode) : node, "name");
    if (name === undefined) return undefined;
    const parameters = childOf(node, "parameters");
    return `${node.type}:${text(name)}${parameters === undefined ? "" : text(parameters).replace(/\s+/gu, " ")}`;
  },
  binds(node, text) {
    if (node.type === "import_declaration") {
      const path = text(node).replace(/^import\s+(?:static\s+)?|\s|;$/gu, "");
      return path.endsWith("*") ? [] : [`type:${path.split(".").at(-1) ?? ""}`];
    }
    if (node.type === "field_declaration")
      return node.children.filter((child) => child.field === "declarator").map((child) => `field:${text(childOf(child, "name") ?? child)}`);
    const name = /^(?:class|interface|enum|record|annotation_type)_declaration$/u.test(node.type) ? childOf(node, "name") : undefined;
    return name === undefined ? [] : [`type:${text(name)}`];
  },
  acts: (node) => /^(?:field_declaration|static_initializer|block)$/u.test(node.type) && (node.type !== "field_declaration" || calls(node)),
  numbering: {
    sign: /\benum\b/u,
    of(node, text) {
      if (node.type !== "enum_body") return undefined;
      const items = node.children.filter((child) => child.type === "enum_constant").map((child) => text(childOf(child, "name") ?? child));
      return { items, counted: true };
    },
  },
  independent: (node) => /^(?:import|class|interface|enum|record|method|annotation_type)_declaration$/u.test(node.type),
};

function filesOf(_from: string, spec: string, paths: ProjectPaths): string[] {
  const parts = spec.split(".");
  for (let n = Math.min(4, parts.length); n >= 2; n -= 1) {
    const found = paths.endingWith(`${parts.slice(-n).join("/")}.java`);
    if (found.length > 0) return found.slice(0, 2);
  }
  return [];
}

export const java: Language = {
  id: "java",
  extensions: [".java"],
  grammars: [{ name: "java", query }],
  merge,
  defines: [
    "class_declaration",
    "interface_declaration",
    "method_declaration",
    "constructor_declaration",
    "enum_declaration",
    "record_declaration",
  ],
  holds: [
    "program",
    "class_declaration",
    "class_body",
    "interface_declaration",
    "interface_body",
    "enum_declaration",
    "enum_body",
    "block",
  ],
  filesOf,
  testName: /(?:Test|Tests|Spec|IT)$/u,
  tools: {
    linter: { id: "checkstyle" },
    formatter: { id: "google-java-format" },
    type_checker: { id: "javac" },
    lsp: { id: "jdtls" },
    test_framework: { id: "maven-test" },
  },
};
