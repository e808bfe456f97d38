/** How much a floor shows, and that role names are keys nowhere. */
import { floorOf } from "./check-layers.ts";
import { MAX_PUBLIC_NAMES, ROLES } from "./rules.ts";
import type { Problem, Tree } from "./tree.ts";

/** Names a floor offers through doors that another floor uses; one that two doors show is one. */
export function checkWidth(tree: Tree): Problem[] {
  const entered = new Set(
    tree.edges.filter((edge) => !edge.from.isTest && floorOf(edge.from.file) !== floorOf(edge.to)).map((edge) => edge.to),
  );
  const shown = new Map<string, Set<string>>();
  for (const module of tree.modules.values()) {
    const floor = floorOf(module.file);
    if (floor === undefined || !module.file.endsWith("/index.ts") || !entered.has(module.file)) continue;
    const names = shown.get(floor) ?? new Set();
    for (const { name } of module.exports) names.add(name);
    shown.set(floor, names);
  }
  return [...shown]
    .filter(([, names]) => names.size > MAX_PUBLIC_NAMES)
    .map(([floor, names]) => ({
      rule: "width",
      line: 1,
      file: `src/${floor}/index.ts`,
      message: `${floor} shows ${names.size} names, more than ${MAX_PUBLIC_NAMES}; offer fewer, larger things`,
    }));
}

const MIN_ROLE_KEYS = 3;

/** A role is one value: a table keyed by roles is a part of it in the wrong place. */
export function checkRoleTables(tree: Tree): Problem[] {
  const roles = new Set(ROLES);
  const problems: Problem[] = [];
  for (const { file, isTest, members } of tree.modules.values()) {
    if (isTest || !file.startsWith("src/")) continue;
    const found = members.tables.filter(({ keys }) => keys.filter((key) => roles.has(key)).length >= MIN_ROLE_KEYS);
    const message = "a table keyed by role names; what differs by role belongs into the role (agents/<role>.md)";
    problems.push(...found.map(({ line }) => ({ rule: "roles", file, line, message })));
  }
  return problems;
}
