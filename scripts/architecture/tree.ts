/** Loads a source tree and resolves its imports into a graph. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { readModule, type ImportFact, type ModuleFacts } from "./read-module.ts";

export interface Problem {
  rule: string;
  file: string;
  line: number;
  message: string;
}

export interface Edge {
  from: ModuleFacts;
  /** Root-relative path of the imported file. */
  to: string;
  fact: ImportFact;
}

export interface Tree {
  root: string;
  modules: ReadonlyMap<string, ModuleFacts>;
  edges: readonly Edge[];
  /** Imports of packages: bare name and where. */
  packages: readonly { name: string; from: ModuleFacts; fact: ImportFact }[];
  /** The house itself, not a small tree of a test: the lists of what is still tolerated must fit it. */
  isHouse: boolean;
  /** Files that could not be read as TypeScript, and imports that lead nowhere. */
  broken: readonly Problem[];
}

/** Where the rules stand, and what they still tolerate. */
export const RULES = "scripts/architecture/rules.ts";

const FOLDERS = ["src", "test", "bench", "scripts"];
const IGNORED = new Set(["node_modules", "dist", "fixtures"]);

function listFiles(root: string, folder: string): string[] {
  const top = path.join(root, folder);
  if (!existsSync(top)) return [];
  const found: string[] = [];
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    const relative = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!IGNORED.has(entry.name)) found.push(...listFiles(root, relative));
    } else if (/\.(ts|tsx|mts)$/.test(entry.name) && !/\.d\.m?ts$/.test(entry.name)) found.push(relative);
  }
  return found;
}

/** `@scope/name/deep` → `@scope/name`; built-ins and relative paths → undefined. */
export function packageName(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("/") || specifier.startsWith("node:") || builtinModules.includes(specifier))
    return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

export function loadTree(root: string): Tree {
  const modules = new Map<string, ModuleFacts>();
  const broken: Problem[] = [];
  const rootConfigs = existsSync(root) ? readdirSync(root).filter((name) => /\.config\.(ts|mts|mjs)$/.test(name)) : [];
  for (const file of [...FOLDERS.flatMap((folder) => listFiles(root, folder)), ...rootConfigs]) {
    try {
      modules.set(file, readModule(file, readFileSync(path.join(root, file), "utf8")));
    } catch (error) {
      broken.push({ rule: "parse", file, line: 1, message: `cannot be parsed: ${String(error).split("\n")[0]}` });
    }
  }
  const edges: Edge[] = [];
  const packages: Tree["packages"][number][] = [];
  for (const from of modules.values()) {
    for (const fact of from.imports) {
      const name = packageName(fact.specifier);
      if (name !== undefined && fact.kind !== "url") packages.push({ name, from, fact });
      if (!fact.specifier.startsWith(".")) continue;
      const to = path.posix.join(path.posix.dirname(from.file), fact.specifier);
      if (modules.has(to)) edges.push({ from, to, fact });
      else if (fact.kind !== "url" && !existsSync(path.join(root, to)))
        broken.push({ rule: "resolve", file: from.file, line: fact.line, message: `imports ${fact.specifier}, which does not exist` });
    }
  }
  return { root, modules, edges, packages, isHouse: modules.has(RULES), broken };
}
