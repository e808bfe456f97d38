/** Reads one TypeScript file into the facts the checks need: imports, exports, calls, size. */
import { parseAst } from "rolldown/parseAst";
import { child, children, dotted, isNode, nameOf, stringStart, stringValue, type Node } from "./ast.ts";
import { createMemberReader, type MemberFacts } from "./read-members.ts";

export interface ImportFact {
  /** As written. */
  specifier: string;
  /** Imported names; `*` when everything may be used. */
  names: string[];
  kind: "import" | "type" | "reexport" | "dynamic" | "url" | "resolve";
  line: number;
}

export interface ExportFact {
  name: string;
  line: number;
  /** A type or interface that other declarations of the same file mention. */
  carriedBySignature: boolean;
  /** Set when the export only passes on another module's name. */
  from?: { specifier: string; name: string; isType: boolean };
}

export interface CallFact {
  /** Dotted name of what is called: `Date.now`, `new Date()`. */
  name: string;
  line: number;
  unreffed: boolean;
}

export interface ModuleFacts {
  /** Relative to the root, with `/`. */
  file: string;
  isTest: boolean;
  lines: number;
  hasFunctions: boolean;
  /** Places where a type is claimed (`as T`), `as const` apart. */
  casts: number;
  imports: ImportFact[];
  exports: ExportFact[];
  calls: CallFact[];
  members: MemberFacts;
}

/** Names a declaration introduces, patterns included. */
function declaredNames(node: Node): string[] {
  if (node.type === "VariableDeclaration") return children(node, "declarations").flatMap((d) => patternNames(child(d, "id")));
  const id = child(node, "id");
  return id === undefined ? [] : [nameOf(id)];
}

function patternNames(node: Node | undefined): string[] {
  if (node === undefined) return [];
  switch (node.type) {
    case "Identifier":
      return [nameOf(node)];
    case "ObjectPattern":
      return children(node, "properties").flatMap((p) => patternNames(child(p, "value") ?? child(p, "argument")));
    case "ArrayPattern":
      return children(node, "elements").flatMap(patternNames);
    case "AssignmentPattern":
      return patternNames(child(node, "left"));
    case "RestElement":
      return patternNames(child(node, "argument"));
    default:
      return [];
  }
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "MethodDefinition"]);
const TYPES = new Set(["TSTypeAliasDeclaration", "TSInterfaceDeclaration"]);

export function isTestFile(file: string): boolean {
  return /\.test\.tsx?$/.test(file) || file.startsWith("test/");
}

export function readModule(file: string, text: string): ModuleFacts {
  const program = parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }, file) as unknown as Node;
  const lineStarts = [0];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) lineStarts.push(i + 1);
  const lineAt = (offset: number): number => {
    let low = 0;
    let high = lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lineStarts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const members = createMemberReader(lineAt);
  const facts: ModuleFacts = {
    file,
    isTest: isTestFile(file),
    lines: text.endsWith("\n") ? lineStarts.length - 1 : lineStarts.length,
    hasFunctions: false,
    casts: 0,
    imports: [],
    exports: [],
    calls: [],
    members: members.facts,
  };
  const addImport = (node: Node, specifier: string | undefined, names: string[], kind: ImportFact["kind"]): void => {
    if (specifier !== undefined) facts.imports.push({ specifier, names, kind, line: lineAt(node.start) });
  };
  const mentions = (name: string): number => text.match(new RegExp(`\\b${name.replaceAll("$", "\\$")}\\b`, "g"))?.length ?? 0;
  const addExport = (node: Node, name: string, from: ExportFact["from"], isType: boolean): void => {
    facts.exports.push({
      name,
      line: lineAt(node.start),
      carriedBySignature: isType && from === undefined && mentions(name) > 1,
      ...(from === undefined ? {} : { from }),
    });
  };

  const visit = (node: Node, parents: readonly Node[]): void => {
    if (FUNCTIONS.has(node.type)) facts.hasFunctions = true;
    if (node.type === "TSAsExpression" && !isConst(child(node, "typeAnnotation"))) facts.casts += 1;
    members.look(node, parents);
    const source = stringValue(child(node, "source"));
    switch (node.type) {
      case "ImportDeclaration": {
        const names = children(node, "specifiers").map((s) =>
          s.type === "ImportNamespaceSpecifier" ? "*" : s.type === "ImportDefaultSpecifier" ? "default" : nameOf(child(s, "imported")),
        );
        addImport(node, source, names, node["importKind"] === "type" ? "type" : "import");
        break;
      }
      case "ExportAllDeclaration":
        addImport(node, source, ["*"], "reexport");
        addExport(node, "*", source === undefined ? undefined : { specifier: source, name: "*", isType: false }, false);
        break;
      case "ExportNamedDeclaration": {
        const declaration = child(node, "declaration");
        const specifiers = children(node, "specifiers");
        if (source !== undefined)
          addImport(
            node,
            source,
            specifiers.map((s) => nameOf(child(s, "local"))),
            "reexport",
          );
        for (const s of specifiers) {
          const isType = node["exportKind"] === "type" || s["exportKind"] === "type";
          const from = source === undefined ? undefined : { specifier: source, name: nameOf(child(s, "local")), isType };
          addExport(s, nameOf(child(s, "exported")), from, false);
        }
        if (declaration !== undefined)
          for (const name of declaredNames(declaration)) addExport(node, name, undefined, TYPES.has(declaration.type));
        break;
      }
      case "ExportDefaultDeclaration":
        addExport(node, "default", undefined, false);
        break;
      case "TSImportType":
        addImport(node, source ?? stringValue(child(node, "argument")), [nameOf(leftmost(child(node, "qualifier"))) || "*"], "type");
        break;
      case "ImportExpression":
        addImport(node, source, dynamicNames(parents), "dynamic");
        break;
      case "NewExpression":
      case "CallExpression": {
        const callee = child(node, "callee");
        const args = children(node, "arguments");
        const name = dotted(callee);
        if (node.type === "NewExpression") {
          if (name === "URL" && dotted(args[1]) === "import.meta.url") addImport(node, stringValue(args[0]), ["*"], "url");
          if (name === "Date" && args.length === 0) facts.calls.push({ name: "new Date()", line: lineAt(node.start), unreffed: false });
          break;
        }
        // `.resolve` alone: the object is itself a call, as in createRequire(…).resolve(…).
        if (["import.meta.resolve", "require.resolve", "require", ".resolve"].includes(name))
          addImport(node, stringStart(args[0]), ["*"], "resolve");
        if (name !== "")
          facts.calls.push({ name: name === "Date" ? "Date()" : name, line: lineAt(node.start), unreffed: isUnreffed(parents, text) });
        break;
      }
      default:
    }
    const chain = [...parents, node];
    for (const value of Object.values(node)) {
      if (isNode(value)) visit(value, chain);
      else if (Array.isArray(value)) for (const item of value) if (isNode(item)) visit(item, chain);
    }
  };
  visit(program, []);
  return facts;
}

function isConst(type: Node | undefined): boolean {
  return nameOf(type === undefined ? undefined : child(type, "typeName")) === "const";
}

function leftmost(node: Node | undefined): Node | undefined {
  let at = node;
  while (at?.type === "TSQualifiedName") at = child(at, "left");
  return at;
}

/** `const { a, b } = await import(…)` and `(await import(…)).a` use those names; anything else may use all. */
function dynamicNames(parents: readonly Node[]): string[] {
  const outer = parents.filter((p) => p.type !== "AwaitExpression" && p.type !== "ParenthesizedExpression").at(-1);
  if (outer?.type === "MemberExpression") {
    const name = nameOf(child(outer, "property"));
    return name === "then" ? ["*"] : [name];
  }
  const id = outer?.type === "VariableDeclarator" ? child(outer, "id") : undefined;
  if (id?.type !== "ObjectPattern") return ["*"];
  const properties = children(id, "properties");
  return properties.some((p) => p.type === "RestElement") ? ["*"] : properties.map((p) => nameOf(child(p, "key")));
}

/** A timer that is let go at once (`setTimeout(…).unref()`) or through the variable that holds it. */
function isUnreffed(parents: readonly Node[], text: string): boolean {
  const parent = parents.at(-1);
  if (parent === undefined) return false;
  if (parent.type === "MemberExpression") return nameOf(child(parent, "property")) === "unref";
  const holder =
    parent.type === "VariableDeclarator" ? child(parent, "id") : parent.type === "AssignmentExpression" ? child(parent, "left") : undefined;
  const name = dotted(holder);
  return name !== "" && (text.includes(`${name}.unref(`) || text.includes(`${name}?.unref(`));
}
