/** One door per side effect: who may use which module or call. */
import { DOORS, type Door } from "./rules.ts";
import type { ModuleFacts } from "./read-module.ts";
import { RULES, type Problem, type Tree } from "./tree.ts";

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The entry of the list that lets this file through. */
function placeOf(door: Door, file: string): string | undefined {
  return door.allowed.find((place) => (place.endsWith("/") ? file.startsWith(place) : file === place));
}

/** What of a module goes through a door. */
function uses(door: Door, module: ModuleFacts): { used: string; line: number }[] {
  const imports = module.imports.flatMap(({ specifier, names: imported, line }) => {
    const bare = specifier.startsWith("node:") ? specifier.slice(5) : `node:${specifier}`;
    if (door.modules?.some((m) => matches(m, specifier) || matches(m, bare) || specifier.startsWith(`${m}/`)) === true)
      return [{ used: specifier, line }];
    const names = (door.names ?? []).filter((n) => {
      const [from, name] = n.split("#") as [string, string];
      return (from === specifier || from === bare) && imported.includes(name);
    });
    return names.length === 0 ? [] : [{ used: names.join(", "), line }];
  });
  const calls = module.calls.flatMap((call) => {
    const name = call.name.replace(/^globalThis\./, "");
    const isTimer = /^set(Timeout|Interval|Immediate)$/.test(name);
    return door.calls?.some((c) => matches(c, name)) === true && !(isTimer && call.unreffed) ? [{ used: name, line: call.line }] : [];
  });
  return [...imports, ...calls];
}

export function checkDoors(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const door of DOORS) {
    const idle = new Set(tree.isHouse ? door.allowed : []);
    for (const module of tree.modules.values()) {
      if (module.isTest || !module.file.startsWith("src/")) continue;
      const found = uses(door, module);
      const place = placeOf(door, module.file);
      if (place !== undefined) {
        if (found.length > 0) idle.delete(place);
        continue;
      }
      for (const { used, line } of found)
        problems.push({
          rule: "doors",
          file: module.file,
          line,
          message: `${used} opens ${door.what} outside ${door.allowed.join(", ")}; ${door.instead}`,
        });
    }
    for (const place of idle)
      problems.push({ rule: "doors", file: RULES, line: 1, message: `${place} no longer opens ${door.what}; take it off that door` });
  }
  return problems;
}
