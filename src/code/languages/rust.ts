import path from "node:path";
import { childOf, type SyntaxNode } from "../syntax-node.ts";
import type { Language, ProjectPaths } from "./language.ts";
import { comma, declared, lines, never, ordered, sequence, set, type MergeRules } from "./merge-rules.ts";

const query = `
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(trait_item name: (type_identifier) @name) @def.interface
(type_item name: (type_identifier) @name) @def.type
(mod_item name: (identifier) @name) @def.module
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable
(macro_definition name: (identifier) @name) @def.function
(impl_item trait: (type_identifier) @implements)
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(use_declaration argument: (_) @import)
(mod_item name: (identifier) @import !body)
`;

function usedNames(node: SyntaxNode | undefined, text: (node: SyntaxNode) => string): string[] {
  if (node === undefined) return [];
  switch (node.type) {
    case "use_as_clause":
      return [text(childOf(node, "alias") ?? node)].filter((name) => name !== "_");
    case "scoped_use_list":
      return usedNames(childOf(node, "list"), text).map((name) => (name === "self" ? text(childOf(node, "path") ?? node) : name));
    case "use_list":
      return node.children.filter((child) => child.named).flatMap((child) => usedNames(child, text));
    case "scoped_identifier":
      return [text(childOf(node, "name") ?? node)];
    default:
      return /^(?:identifier|self)$/u.test(node.type) ? [text(node)] : [];
  }
}

const merge: MergeRules = {
  trivia: set("line_comment", "block_comment", "attribute_item"),
  ordering: set("base_field_initializer"),
  indented: false,
  lists: {
    source_file: ordered,
    declaration_list: lines,
    block: ordered,
    match_block: ordered,
    field_declaration_list: comma,
    enum_variant_list: comma,
    use_list: { ...comma, sortable: true },
    field_initializer_list: comma,
    array_expression: sequence,
  },
  nameOf(node, text) {
    switch (node.type) {
      case "impl_item": {
        const body = childOf(node, "body");
        return body === undefined
          ? undefined
          : `impl:${node.children
              .filter((child) => child !== body)
              .map(text)
              .join(" ")}`;
      }
      case "field_initializer": {
        const name = childOf(node, "field") ?? childOf(node, "name");
        return name === undefined ? undefined : `field:${text(name)}`;
      }
      case "macro_definition":
      case "let_declaration":
      case "match_arm":
        return undefined;
      default:
        return declared(node, text, set());
    }
  },
  binds(node, text) {
    const name = childOf(node, "name");
    if (node.type === "use_declaration")
      return usedNames(childOf(node, "argument"), text).flatMap((one) => [`value:${one}`, `type:${one}`]);
    if (name === undefined) return [];
    if (/^(?:function_item|function_signature_item|const_item|static_item)$/u.test(node.type)) return [`value:${text(name)}`];
    if (/^(?:field_declaration|enum_variant)$/u.test(node.type)) return [`member:${text(name)}`];
    return node.type.endsWith("_item") ? [`type:${text(name)}`] : [];
  },
  acts: never,
  numbering: {
    sign: /\benum\b|\brepr\b|\b(?:Partial)?Ord\b/u,
    of(node, text, before) {
      const inOrder = /\brepr\s*\(|\b(?:Partial)?Ord\b/u.test(before);
      const members = node.children.filter((child) => /^(?:enum_variant|field_declaration)$/u.test(child.type));
      const items = members.map((child) => text(childOf(child, "name") ?? child));
      if (node.type === "field_declaration_list") return { items, counted: inOrder };
      if (node.type !== "enum_variant_list") return undefined;
      // A variant that holds something makes numbers of the others unreachable.
      const held = members.some((child) => childOf(child, "body") !== undefined);
      const given = members.every((child) => childOf(child, "value") !== undefined);
      return { items, counted: inOrder || (!held && !given) };
    },
  },
  independent: (node) => /(?<!inner_attribute)_item$|^use_declaration$|^extern_crate_declaration$|^macro_definition$/u.test(node.type),
};

function filesOf(from: string, spec: string, paths: ProjectPaths): string[] {
  const parts = spec
    .replaceAll(/\{[\s\S]*|\s/gu, "")
    .split("::")
    .filter((part) => part !== "" && part !== "crate" && part !== "self" && part !== "super");
  const here = path.posix.dirname(from);
  const own = path.posix.join(here, path.posix.basename(from, ".rs"));
  for (let n = parts.length; n >= 1; n -= 1) {
    const tail = parts.slice(0, n).join("/");
    const found = [`${here}/${tail}.rs`, `${here}/${tail}/mod.rs`, `${own}/${tail}.rs`].filter((file) => paths.has(file));
    if (found.length > 0) return found.slice(0, 1);
    const ending = [...paths.endingWith(`src/${tail}.rs`), ...paths.endingWith(`${tail}.rs`)];
    if (ending.length > 0 && n >= 1) return ending.slice(0, 1);
  }
  return [];
}

export const rust: Language = {
  id: "rust",
  extensions: [".rs"],
  grammars: [{ name: "rust", query }],
  merge,
  defines: [
    "function_item",
    "enum_item",
    "struct_item",
    "trait_item",
    "impl_item",
    "mod_item",
    "const_item",
    "static_item",
    "type_item",
    "macro_definition",
  ],
  holds: ["source_file", "impl_item", "trait_item", "mod_item", "declaration_list", "block"],
  filesOf,
  tools: {
    linter: { id: "clippy", install: ["rustup", "component", "add", "clippy"] },
    formatter: { id: "rustfmt", install: ["rustup", "component", "add", "rustfmt"] },
    type_checker: { id: "cargo-check" },
    lsp: { id: "rust-analyzer", install: ["rustup", "component", "add", "rust-analyzer"] },
    test_framework: { id: "cargo-test" },
  },
};
