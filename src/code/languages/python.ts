import path from "node:path";
import { childOf, type SyntaxNode } from "../syntax-node.ts";
import type { Language, ProjectPaths } from "./language.ts";
import { calls, comma, declared, ordered, sequence, set, type MergeRules } from "./merge-rules.ts";
import { pip } from "./install.ts";

const query = `
(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(module (expression_statement (assignment left: (identifier) @name)) @def.variable)
(class_definition superclasses: (argument_list (identifier) @extends))
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
`;

/** What an assignment gives a value to. */
function assignedIn(node: SyntaxNode): SyntaxNode | undefined {
  const inner = node.type === "expression_statement" ? node.children[0] : undefined;
  return inner?.type === "assignment" ? childOf(inner, "left") : undefined;
}

const PY_WRAPPERS = set("decorated_definition");
const merge: MergeRules = {
  trivia: set("comment"),
  ordering: set("dictionary_splat", "list_splat"),
  indented: true,
  lists: {
    module: ordered,
    block: ordered,
    list: sequence,
    set: comma,
    dictionary: { ...comma, sortable: true },
    import_from_statement: { separators: [","], commutes: true, sortable: true, itemField: "name" },
  },
  nameOf(node, text, parent) {
    if (node.type === "pair") {
      const key = childOf(node, "key");
      return key === undefined ? undefined : `pair:${text(key).replace(/^(["'])(.*)\1$/u, "$2")}`;
    }
    if (parent.type === "import_from_statement") return undefined;
    const left = assignedIn(node);
    if (left !== undefined && (parent.type === "module" || parent.field === "body")) return `assign:${text(left)}`;
    return declared(node, text, PY_WRAPPERS);
  },
  binds(node, text, parent) {
    if (parent.type === "import_from_statement") return [`value:${text(childOf(node, "alias") ?? node)}`];
    if (/^import_(?:from_)?statement$/u.test(node.type))
      return node.children.filter((child) => child.field === "name").map((child) => `value:${text(childOf(child, "alias") ?? child)}`);
    const left = assignedIn(node);
    if (left?.type === "identifier") return [`value:${text(left)}`];
    const inner = PY_WRAPPERS.has(node.type) ? childOf(node, "definition") : node;
    const name = inner !== undefined && /^(?:function|class)_definition$/u.test(inner.type) ? childOf(inner, "name") : undefined;
    return name === undefined ? [] : [`value:${text(name)}`];
  },
  acts: (node) => /^(?:expression_statement|pair)$/u.test(node.type) && calls(node),
  isSet(list, text, owner) {
    const left = list.type === "list" ? assignedIn(owner) : undefined;
    return left === undefined ? undefined : text(left) === "__all__" || undefined;
  },
  numbering: {
    sign: /\bauto\(\)/u,
    of(node, text) {
      if (node.type !== "block") return undefined;
      const assigned = node.children.map((child) => [child, assignedIn(child)] as const).filter(([, left]) => left !== undefined);
      return {
        items: assigned.map(([, left]) => text(left as SyntaxNode)),
        counted: assigned.some(([child]) => /=\s*(?:\w+\.)?auto\(\)/u.test(text(child))),
      };
    },
  },
  independent(node, _text, parent) {
    if (/^(?:import_statement|import_from_statement|function_definition|class_definition|decorated_definition)$/u.test(node.type))
      return true;
    return parent.type === "module" && node.type === "expression_statement" && node.children[0]?.type === "assignment";
  },
};

function filesOf(from: string, spec: string, paths: ProjectPaths): string[] {
  const dots = /^\.+/u.exec(spec)?.[0].length ?? 0;
  const rest = spec.slice(dots).replaceAll(".", "/");
  if (dots > 0) {
    let folder = path.posix.dirname(from);
    for (let i = 1; i < dots; i += 1) folder = path.posix.dirname(folder);
    const place = path.posix.join(folder, rest);
    return [`${place}.py`, `${place}/__init__.py`].filter((file) => paths.has(file));
  }
  return [...paths.endingWith(`${rest}.py`), ...paths.endingWith(`${rest}/__init__.py`)].slice(0, 2);
}

export const python: Language = {
  id: "python",
  extensions: [".py", ".pyi"],
  grammars: [{ name: "python", query }],
  merge,
  defines: ["function_definition", "class_definition", "decorated_definition"],
  holds: ["module", "class_definition", "block", "decorated_definition"],
  filesOf,
  tools: {
    linter: { id: "ruff", install: pip("ruff") },
    formatter: { id: "ruff", install: pip("ruff") },
    type_checker: { id: "mypy", install: pip("mypy") },
    lsp: { id: "pyright-server", install: ["npm", "install", "-g", "pyright"] },
    test_framework: { id: "pytest", install: pip("pytest") },
  },
};
