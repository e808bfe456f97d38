/** What JavaScript and TypeScript share. */
import path from "node:path";
import { childOf, type SyntaxNode } from "../syntax-node.ts";
import type { Language, ProjectPaths } from "./language.ts";
import { calls, comma, declared, lines, ordered, sequence, set, type MergeRules } from "./merge-rules.ts";
import { npm } from "./install.ts";

const QUERY = `
(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(method_definition name: (_) @name) @def.method
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name))) @def.variable)
(program (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)])) @def.function)
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]))) @def.function)
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(function_expression) (arrow_function)]) @def.function
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @require arguments: (arguments . (string) @import) (#eq? @require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import))
`;

const TYPED = `
(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(public_field_definition name: (property_identifier) @name value: (arrow_function)) @def.method
(method_signature name: (property_identifier) @name) @def.method
(extends_clause value: (identifier) @extends)
(implements_clause (type_identifier) @implements)
(type_annotation (type_identifier) @reference)
`;

/** With types; the grammar of `.jsx` is the same. */
export const typedQuery = QUERY + TYPED;

export const plainQuery = `${QUERY}
(class_declaration name: (identifier) @name) @def.class
(class_heritage (identifier) @extends)
(pair key: (property_identifier) @name value: [(function_expression) (arrow_function)]) @def.method
`;

const TEST_CALLS = /^(?:describe|suite|context|test|it|bench)(?:\.\w+)?$/u;

/** `test("title", …)`: known by its title. */
function testTitle(node: SyntaxNode, text: (node: SyntaxNode) => string): string | undefined {
  const call = node.type === "expression_statement" ? node.children[0] : undefined;
  const callee = call?.type === "call_expression" ? childOf(call, "function") : undefined;
  const title = call === undefined ? undefined : childOf(call, "arguments")?.children.find((child) => child.named);
  return callee !== undefined && title?.type === "string" && TEST_CALLS.test(text(callee)) ? `${text(callee)}:${text(title)}` : undefined;
}

const JS_WRAPPERS = set("export_statement", "ambient_declaration");
const JS_DECLARATIONS = set(
  "import_statement",
  "export_statement",
  "function_declaration",
  "generator_function_declaration",
  "class_declaration",
  "abstract_class_declaration",
  "interface_declaration",
  "type_alias_declaration",
  "enum_declaration",
  "ambient_declaration",
  "function_signature",
  "internal_module",
  "module",
);

const merge: MergeRules = {
  trivia: set("comment"),
  ordering: set("spread_element"),
  indented: false,
  lists: {
    program: ordered,
    statement_block: ordered,
    class_body: lines,
    switch_body: ordered,
    interface_body: { separators: [";", ","], commutes: true },
    object_type: { separators: [";", ","], commutes: true },
    enum_body: comma,
    named_imports: { ...comma, sortable: true },
    export_clause: { ...comma, sortable: true },
    object: { ...comma, sortable: true },
    object_pattern: comma,
    array: sequence,
  },
  binds(node, text, parent) {
    if (node.type === "import_statement") return importedNames(node, text).flatMap((name) => [`value:${name}`, `type:${name}`]);
    if (parent.type === "named_imports") return importedNames(node, text).map((name) => `value:${name}`);
    if (node.type === "export_specifier") return [`export:${text(childOf(node, "alias") ?? childOf(node, "name") ?? node)}`];
    const inner = JS_WRAPPERS.has(node.type) ? (childOf(node, "declaration") ?? node) : node;
    if (/^(?:lexical|variable)_declaration$/u.test(inner.type))
      return inner.children.flatMap((child) => {
        const name = child.type === "variable_declarator" ? childOf(child, "name") : undefined;
        return name === undefined
          ? []
          : (text(name).match(name.type === "identifier" ? /^.*$/u : /[\w$]+(?=\s*[,}\]=])/gu) ?? []).map((one) => `value:${one}`);
      });
    const name = childOf(inner, "name") ?? childOf(inner, "property") ?? childOf(inner, "key");
    if (name === undefined)
      return node.type.startsWith("shorthand_property_identifier") ? [`member:get:${text(node)}`, `member:set:${text(node)}`] : [];
    const plain = text(name).replace(/^(["'])(.*)\1$/u, "$2");
    if (/^(?:class_body|interface_body|object_type|object|object_pattern)$/u.test(parent.type)) return memberNames(node, plain);
    if (parent.type === "enum_body") return [`member:${plain}`];
    if (/^(?:interface_declaration|type_alias_declaration)$/u.test(inner.type)) return [`type:${plain}`];
    return /^(?:class|abstract_class|enum)_declaration$/u.test(inner.type) ? [`value:${plain}`, `type:${plain}`] : [`value:${plain}`];
  },
  acts(node) {
    if (node.type === "import_statement") return !node.children.some((child) => child.type === "import_clause");
    return (
      /^(?:lexical_declaration|variable_declaration|export_statement|field_definition|public_field_definition|pair|class_static_block)$/u.test(
        node.type,
      ) && calls(node)
    );
  },
  numbering: {
    sign: /\benum\b/u,
    of(node, text) {
      if (node.type !== "enum_body") return undefined;
      const members = node.children.filter((child) => child.named && child.type !== "comment");
      return {
        items: members.map((child) => text(childOf(child, "name") ?? child)),
        counted: members.some((child) => child.type === "property_identifier"),
      };
    },
  },
  nameOf(node, text, parent) {
    switch (node.type) {
      case "import_statement":
      case "import_specifier":
      case "export_specifier":
      case "shorthand_property_identifier":
      case "shorthand_property_identifier_pattern":
        return undefined;
      case "pair":
      case "pair_pattern": {
        const key = childOf(node, "key");
        return key === undefined ? undefined : `pair:${text(key).replace(/^(["'])(.*)\1$/u, "$2")}`;
      }
      case "property_identifier":
        return parent.type === "enum_body" ? `enum:${text(node)}` : undefined;
      case "enum_assignment":
        return `enum:${text(childOf(node, "name") ?? node)}`;
      case "lexical_declaration":
      case "variable_declaration":
        return variables(node, text);
      case "export_statement": {
        if (node.children.some((child) => child.type === "default")) return "export default";
        const inner = childOf(node, "declaration");
        if (inner !== undefined && inner.type.endsWith("_declaration") && childOf(inner, "name") === undefined)
          return variables(inner, text);
        return declared(node, text, JS_WRAPPERS);
      }
      case "method_definition":
      case "public_field_definition":
      case "field_definition": {
        const name = childOf(node, "name") ?? childOf(node, "property");
        const marks = node.children
          .filter((child) => child.type === "static" || child.type === "get" || child.type === "set")
          .map((child) => child.type);
        return name === undefined ? undefined : ["member", ...marks, text(name)].join(":");
      }
      default:
        return testTitle(node, text) ?? declared(node, text, JS_WRAPPERS);
    }
  },
  independent(node, text, parent) {
    if (JS_DECLARATIONS.has(node.type) || testTitle(node, text) !== undefined) return true;
    return parent.type === "program" && (node.type === "lexical_declaration" || node.type === "variable_declaration");
  },
};

function importedNames(node: SyntaxNode, text: (node: SyntaxNode) => string): string[] {
  if (node.type === "import_specifier") return [text(childOf(node, "alias") ?? childOf(node, "name") ?? node)];
  if (node.type === "namespace_import") return node.children.filter((child) => child.type === "identifier").map(text);
  if (node.type === "import_clause")
    return node.children.flatMap((child) => (child.type === "identifier" ? [text(child)] : importedNames(child, text)));
  return node.children.filter((child) => child.named).flatMap((child) => importedNames(child, text));
}

/** Of one member; a getter and a setter share a name. */
function memberNames(node: SyntaxNode, name: string): string[] {
  const has = (mark: string): boolean => node.children.some((child) => child.type === mark);
  const place = has("static") ? "static" : "member";
  if (has("get")) return [`${place}:get:${name}`];
  return has("set") ? [`${place}:set:${name}`] : [`${place}:get:${name}`, `${place}:set:${name}`];
}

function variables(node: SyntaxNode, text: (node: SyntaxNode) => string): string | undefined {
  const names = node.children.filter((child) => child.type === "variable_declarator").map((child) => childOf(child, "name"));
  return names.length === 0 || names.includes(undefined)
    ? undefined
    : `variable:${names.map((name) => text(name as SyntaxNode)).join(",")}`;
}

const SCRIPT_ENDINGS = [
  "",
  ".ts",
  ".tsx",
  ".js",
  ".jsx",
  ".mjs",
  ".cjs",
  ".mts",
  ".vue",
  ".svelte",
  "/index.ts",
  "/index.tsx",
  "/index.js",
];

function filesOf(from: string, spec: string, paths: ProjectPaths): string[] {
  if (!spec.startsWith(".")) return [];
  const target = path.posix.join(path.posix.dirname(from), spec);
  const stem = target.replace(/\.[cm]?jsx?$/u, "");
  const found = [...SCRIPT_ENDINGS.map((ending) => target + ending), ...SCRIPT_ENDINGS.map((ending) => stem + ending)].find((file) =>
    paths.has(file),
  );
  return found === undefined ? [] : [found];
}
export const script: Pick<Language, "merge" | "defines" | "holds" | "filesOf" | "packageScripts" | "tools"> = {
  merge,
  defines: [
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "class_declaration",
    "abstract_class_declaration",
    "method_definition",
    "method_signature",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "lexical_declaration",
    "variable_declaration",
    "export_statement",
    "internal_module",
    "public_field_definition",
  ],
  holds: [
    "program",
    "export_statement",
    "class_declaration",
    "abstract_class_declaration",
    "class_body",
    "interface_declaration",
    "interface_body",
    "enum_declaration",
    "enum_body",
    "internal_module",
    "module",
    "statement_block",
    "object_type",
  ],
  filesOf,
  packageScripts: true,
  tools: {
    linter: { id: "oxlint", install: npm("oxlint") },
    formatter: { id: "prettier", install: npm("prettier") },
    type_checker: { id: "tsc", install: npm("typescript") },
    lsp: { id: "typescript-language-server", install: npm("typescript-language-server", "typescript") },
    test_framework: { id: "vitest", install: npm("vitest") },
  },
};
