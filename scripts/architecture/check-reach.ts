/** Everything is wired: a module that no entry point reaches is dead, and so is an export nobody imports. */
import path from "node:path";
import { ENTRY_POINTS } from "./rules.ts";
import type { ExportFact, ModuleFacts } from "./read-module.ts";
import type { Edge, Problem, Tree } from "./tree.ts";

function productModules(tree: Tree): ModuleFacts[] {
  return [...tree.modules.values()].filter((m) => m.file.startsWith("src/") && !m.isTest);
}

export function checkReach(tree: Tree, entryPoints: readonly string[] = ENTRY_POINTS): Problem[] {
  const problems: Problem[] = [];
  const from = new Map<string, Edge[]>();
  for (const edge of tree.edges) from.set(edge.from.file, [...(from.get(edge.from.file) ?? []), edge]);
  const seen = new Set<string>();
  const waiting = entryPoints.filter((file) => {
    if (tree.modules.has(file)) return true;
    problems.push({ rule: "reach", file, line: 1, message: "is named as an entry point but does not exist" });
    return false;
  });
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const edge of from.get(file) ?? []) waiting.push(edge.to);
  }
  for (const module of productModules(tree)) {
    if (!seen.has(module.file))
      problems.push({
        rule: "reach",
        file: module.file,
        line: 1,
        message: `no entry point reaches it (${entryPoints.join(", ")}); wire it or delete it`,
      });
  }
  return problems;
}

export function checkExports(tree: Tree, entryPoints: readonly string[] = ENTRY_POINTS): Problem[] {
  const used = new Map<string, Set<string>>();
  for (const { from, to, fact } of tree.edges) {
    if (from.isTest || !from.file.startsWith("src/")) continue;
    // What an index.ts offers is for others: its own folder going through it does not count.
    if (to.endsWith("/index.ts") && from.file.startsWith(`${path.posix.dirname(to)}/`)) continue;
    const names = used.get(to) ?? new Set<string>();
    for (const name of fact.names) names.add(name);
    used.set(to, names);
  }
  /** A type that a module's own signatures mention travels with them, also through an index.ts. */
  const isCarried = (module: ModuleFacts, item: ExportFact): boolean => {
    if (item.from?.isType !== true) return item.carriedBySignature;
    const { specifier, name } = item.from;
    const origin = tree.modules.get(path.posix.join(path.posix.dirname(module.file), specifier));
    const original = origin?.exports.find((e) => e.name === name);
    return origin !== undefined && original !== undefined && isCarried(origin, original);
  };
  const problems: Problem[] = [];
  for (const module of productModules(tree)) {
    if (entryPoints.includes(module.file)) continue;
    const names = used.get(module.file) ?? new Set<string>();
    if (names.has("*")) continue;
    for (const item of module.exports) {
      if (item.name === "*" || names.has(item.name) || isCarried(module, item)) continue;
      const whom = module.file.endsWith("/index.ts") ? "no other floor imports it" : "no other module imports it";
      problems.push({
        rule: "exports",
        file: module.file,
        line: item.line,
        message: `export "${item.name}" is unused: ${whom} (tests do not count)`,
      });
    }
  }
  return problems;
}
