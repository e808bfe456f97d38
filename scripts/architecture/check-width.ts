/** How much a floor shows, and where role names are keys. Both may only shrink. */
import { floorOf } from "./check-layers.ts";
import { MAX_PUBLIC_NAMES, ROLES, ROLE_TABLES, WIDE_FLOORS } from "./rules.ts";
import { RULES, type Problem, type Tree } from "./tree.ts";

/** Names a floor offers through doors that another floor uses. */
export function checkWidth(tree: Tree): Problem[] {
  const entered = new Set(
    tree.edges.filter((edge) => !edge.from.isTest && floorOf(edge.from.file) !== floorOf(edge.to)).map((edge) => edge.to),
  );
  const widths = new Map<string, number>();
  for (const module of tree.modules.values()) {
    const floor = floorOf(module.file);
    if (floor === undefined || !module.file.endsWith("/index.ts") || !entered.has(module.file)) continue;
    widths.set(floor, (widths.get(floor) ?? 0) + module.exports.length);
  }
  return [...widths].flatMap(([floor, width]): Problem[] => {
    const limit = WIDE_FLOORS[floor] ?? MAX_PUBLIC_NAMES;
    const at = { rule: "width", line: 1 };
    if (width > limit)
      return [
        { ...at, file: `src/${floor}/index.ts`, message: `${floor} shows ${width} names, more than ${limit}; offer fewer, larger things` },
      ];
    if (tree.isHouse && width < limit && floor in WIDE_FLOORS)
      return [{ ...at, file: RULES, message: `${floor} shows ${width} names now, not ${limit}; say so in WIDE_FLOORS, or take it off` }];
    return [];
  });
}

const MIN_ROLE_KEYS = 3;

/** A role is one value: a table keyed by roles is a part of it in the wrong place. */
export function checkRoleTables(tree: Tree): Problem[] {
  const roles = new Set(ROLES);
  const left = new Map(Object.entries(ROLE_TABLES));
  const problems: Problem[] = [];
  for (const { file, isTest, members } of tree.modules.values()) {
    if (isTest || !file.startsWith("src/")) continue;
    const found = members.tables.filter(({ keys }) => keys.filter((key) => roles.has(key)).length >= MIN_ROLE_KEYS);
    const allowed = left.get(file) ?? 0;
    if (found.length === allowed) left.delete(file);
    if (found.length <= allowed) continue;
    left.delete(file);
    const message = "a table keyed by role names; what differs by role belongs into the role (agents/<role>.md)";
    problems.push(...found.map(({ line }) => ({ rule: "roles", file, line, message })));
  }
  for (const file of tree.isHouse ? left.keys() : [])
    problems.push({
      rule: "roles",
      file: RULES,
      line: 1,
      message: `${file} has fewer tables by role now; say so in ROLE_TABLES, or take it off`,
    });
  return problems;
}
