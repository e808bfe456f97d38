import path from "node:path";
import { childOf } from "../syntax-node.ts";
import type { Language, ProjectPaths } from "./language.ts";
import { comma, declared, ordered, set, type MergeRules } from "./merge-rules.ts";
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

const PY_WRAPPERS = set("decorated_definition");
const merge: MergeRules = {
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
    lsp: { id: "ruff-server", install: pip("ruff") },
    test_framework: { id: "pytest", install: pip("pytest") },
  },
};
