import { childOf } from "../syntax-node.ts";
import type { Language, ProjectPaths } from "./language.ts";
import { comma, declared, lines, ordered, set, type MergeRules } from "./merge-rules.ts";

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
    literal_value: comma,
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
