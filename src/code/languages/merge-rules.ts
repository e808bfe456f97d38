/**
 * What merging knows of each language: which nodes are lists, what names an item, and which additions
 * may stand in any order. Whatever is not listed here is text that only one side may change.
 */
import { childOf, type SyntaxNode } from "../syntax-node.ts";

export interface ListRule {
  /** Items are separated by one of these; absent: by lines. */
  separators?: readonly string[];
  commutes?: boolean;
  sortable?: boolean;
  /** Only children under this field are items. */
  itemField?: string;
  /** Only children of this type are items, and the node counts as a list only in brackets. */
  itemType?: string;
}

export interface Grammar {
  lists: Readonly<Record<string, ListRule>>;
  /** Nodes that belong to the item after them. */
  trivia: ReadonlySet<string>;
  /** The name of an item; undefined: known by its content. */
  nameOf(node: SyntaxNode, text: (node: SyntaxNode) => string, parent: SyntaxNode): string | undefined;
  independent(node: SyntaxNode, text: (node: SyntaxNode) => string, parent: SyntaxNode): boolean;
  /** Items of these types make the order of their list matter. */
  ordering: ReadonlySet<string>;
  indented: boolean;
}

const set = (...names: string[]): ReadonlySet<string> => new Set(names);
const comma: ListRule = { separators: [","], commutes: true };
const lines: ListRule = { commutes: true };
const ordered: ListRule = {};

/** The declared name, looking through wrappers such as `export` and decorators. */
function declared(node: SyntaxNode, text: (node: SyntaxNode) => string, wrappers: ReadonlySet<string>): string | undefined {
  const inner = wrappers.has(node.type) ? (childOf(node, "declaration") ?? childOf(node, "definition")) : node;
  const name = inner === undefined ? undefined : childOf(inner, "name");
  return inner === undefined || name === undefined ? undefined : `${inner.type}:${text(name)}`;
}

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

const script: Grammar = {
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
    array: comma,
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

function variables(node: SyntaxNode, text: (node: SyntaxNode) => string): string | undefined {
  const names = node.children.filter((child) => child.type === "variable_declarator").map((child) => childOf(child, "name"));
  return names.length === 0 || names.includes(undefined)
    ? undefined
    : `variable:${names.map((name) => text(name as SyntaxNode)).join(",")}`;
}

const PY_WRAPPERS = set("decorated_definition");
const python: Grammar = {
  trivia: set("comment"),
  ordering: set("dictionary_splat", "list_splat"),
  indented: true,
  lists: {
    module: ordered,
    block: ordered,
    list: comma,
    set: comma,
    dictionary: { ...comma, sortable: true },
    import_from_statement: { separators: [","], commutes: true, sortable: true, itemField: "name" },
  },
  nameOf(node, text, parent) {
    if (node.type === "pair") {
      const key = childOf(node, "key");
      return key === undefined ? undefined : `pair:${text(key)}`;
    }
    if (parent.type === "import_from_statement") return undefined;
    const assignment = node.type === "expression_statement" ? node.children[0] : undefined;
    const left = assignment?.type === "assignment" ? childOf(assignment, "left") : undefined;
    if (left !== undefined && (parent.type === "module" || parent.field === "body")) return `assign:${text(left)}`;
    return declared(node, text, PY_WRAPPERS);
  },
  independent(node, _text, parent) {
    if (/^(?:import_statement|import_from_statement|function_definition|class_definition|decorated_definition)$/u.test(node.type))
      return true;
    return parent.type === "module" && node.type === "expression_statement" && node.children[0]?.type === "assignment";
  },
};

const go: Grammar = {
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

const rust: Grammar = {
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
    array_expression: comma,
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
  independent: (node) => /_item$|^use_declaration$|^extern_crate_declaration$|^macro_definition$/u.test(node.type),
};

const java: Grammar = {
  trivia: set("line_comment", "block_comment"),
  ordering: set(),
  indented: false,
  lists: {
    program: ordered,
    block: ordered,
    class_body: lines,
    interface_body: lines,
    enum_body_declarations: lines,
    array_initializer: comma,
  },
  nameOf(node, text) {
    const name = childOf(node, "name");
    if (name === undefined) return undefined;
    const parameters = childOf(node, "parameters");
    return `${node.type}:${text(name)}${parameters === undefined ? "" : text(parameters).replace(/\s+/gu, " ")}`;
  },
  independent: (node) => /^(?:import|class|interface|enum|record|method|annotation_type)_declaration$/u.test(node.type),
};

/** JSON with comments, as parsed by `parse-json.ts`. */
export const json: Grammar = {
  trivia: set("comment"),
  ordering: set(),
  indented: false,
  lists: { document: ordered, object: { ...comma, sortable: true }, array: comma },
  nameOf(node, text) {
    const key = node.type === "pair" ? childOf(node, "key") : undefined;
    return key === undefined ? undefined : `pair:${text(key)}`;
  },
  independent: () => false,
};

/** Markdown blocks, as cut by `parse-markdown.ts`. */
export const markdown: Grammar = {
  trivia: set(),
  ordering: set(),
  indented: false,
  lists: {
    document: ordered,
    section: { itemField: "block" },
    list: { ...lines, itemField: "item" },
    table: { ...lines, itemField: "row" },
  },
  nameOf(node, text) {
    const heading = node.type === "section" ? childOf(node, "heading") : undefined;
    if (heading !== undefined) return `section:${text(heading).trim()}`;
    return node.type === "table_row" ? `row:${(text(node).split("|")[1] ?? "").trim()}` : undefined;
  },
  independent: (node) => node.type === "section",
};

export const GRAMMAR_OF: Readonly<Record<string, Grammar>> = {
  typescript: script,
  tsx: script,
  javascript: script,
  python,
  go,
  rust,
  java,
};
