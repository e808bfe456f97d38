import { childOf, type SyntaxNode } from "../syntax-node.ts";
import type { Language, ProjectPaths } from "./language.ts";
import { calls, declared, lines, ordered, sequence, set, type MergeRules } from "./merge-rules.ts";

const query = `
(function_declaration name: (identifier) @name) @def.function
(method_declaration name: (field_identifier) @name) @def.method
(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_declaration (type_spec name: (type_identifier) @name)) @def.type
(const_spec name: (identifier) @name) @def.constant
(source_file (var_declaration (var_spec name: (identifier) @name)) @def.variable)
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression field: (field_identifier) @call))
(import_spec path: (interpreted_string_literal) @import)
(type_identifier) @reference
`;

function specsIn(node: SyntaxNode): SyntaxNode[] {
  if (/^(?:import|const|var|type)_spec$|^type_alias$/u.test(node.type)) return [node];
  return /_declaration$|_spec_list$/u.test(node.type) ? node.children.filter((child) => child.named).flatMap(specsIn) : [];
}

function specNames(spec: SyntaxNode, text: (node: SyntaxNode) => string): string[] {
  const names = spec.children.filter((child) => child.field === "name").map(text);
  if (spec.type === "import_spec" && names.length === 0)
    return [
      text(childOf(spec, "path") ?? spec)
        .replace(/["`]|\/v\d+"$/gu, "")
        .split("/")
        .at(-1) ?? "",
    ];
  return names.filter((name) => name !== "_" && name !== ".");
}

const merge: MergeRules = {
  trivia: set("comment"),
  ordering: set(),
  indented: false,
  lists: {
    source_file: ordered,
    statement_list: ordered,
    import_spec_list: { commutes: true, sortable: true },
    field_declaration_list: lines,
    interface_type: lines,
    literal_value: sequence,
    const_declaration: { itemType: "const_spec", commutes: true },
    var_spec_list: lines,
    type_declaration: { itemType: "type_spec", commutes: true },
  },
  nameOf(node, text) {
    switch (node.type) {
      case "method_declaration":
        return `method:${text(childOf(node, "receiver") ?? node).replace(/^\(\s*\w+\s+|\s|\)$/gu, "")}.${text(childOf(node, "name") ?? node)}`;
      case "keyed_element": {
        const key = childOf(node, "key");
        return key === undefined ? undefined : `pair:${text(key)}`;
      }
      case "import_spec":
        return undefined;
      case "type_declaration":
      case "const_declaration":
      case "var_declaration": {
        const specs = node.children.filter((child) => child.named && /_spec$|_alias$/u.test(child.type));
        const names = specs.map((spec) => childOf(spec, "name"));
        return specs.length !== 1 || names[0] === undefined ? undefined : `${node.type}:${text(names[0])}`;
      }
      default:
        return declared(node, text, set());
    }
  },
  binds(node, text) {
    switch (node.type) {
      case "function_declaration":
        return [`value:${text(childOf(node, "name") ?? node)}`];
      case "field_declaration":
      case "method_elem":
      case "method_spec":
        return node.children.filter((child) => child.field === "name").map((child) => `member:${text(child)}`);
      default:
        return specsIn(node)
          .flatMap((spec) => specNames(spec, text))
          .map((name) => `value:${name}`);
    }
  },
  acts: (node) => /^(?:var_declaration|var_spec|keyed_element|literal_element)$/u.test(node.type) && calls(node),
  isSet(list) {
    if (list.type !== "literal_value") return undefined;
    return list.children.every((child) => !child.named || child.type === "keyed_element" || child.type === "comment") || undefined;
  },
  numbering: {
    sign: /\biota\b/u,
    of(node, text) {
      if (node.type !== "const_declaration") return undefined;
      const specs = node.children.filter((child) => child.type === "const_spec");
      return { items: specs.map((spec) => text(childOf(spec, "name") ?? spec)), counted: text(node).includes("iota") };
    },
  },
  independent: (node) =>
    /^(?:function_declaration|method_declaration|type_declaration|const_declaration|var_declaration|import_declaration)$/u.test(node.type),
};

function filesOf(_from: string, spec: string, paths: ProjectPaths): string[] {
  const parts = spec.split("/");
  for (let n = Math.min(4, parts.length); n >= 1; n -= 1) {
    const inside = paths.inFolder(parts.slice(-n).join("/")).filter((file) => file.endsWith(".go") && !file.endsWith("_test.go"));
    if (inside.length > 0) return inside.slice(0, 12);
  }
  return [];
}

export const go: Language = {
  id: "go",
  extensions: [".go"],
  grammars: [{ name: "go", query }],
  merge,
  defines: ["function_declaration", "method_declaration", "type_declaration", "const_declaration", "var_declaration"],
  holds: ["source_file", "block"],
  filesOf,
  tools: {
    linter: { id: "golangci-lint", install: ["go", "install", "github.com/golangci/golangci-lint/cmd/golangci-lint@latest"] },
    formatter: { id: "gofmt" },
    type_checker: { id: "go-vet" },
    lsp: { id: "gopls", install: ["go", "install", "golang.org/x/tools/gopls@latest"] },
    test_framework: { id: "go-test" },
  },
};
