/** One door per side effect: who may use which module or call. */
import { DOORS, type Door } from "./rules.ts";
import type { Problem, Tree } from "./tree.ts";

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function mayOpen(door: Door, file: string): boolean {
  return door.allowed.some((place) => (place.endsWith("/") ? file.startsWith(place) : file === place));
}

export function checkDoors(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const module of tree.modules.values()) {
    if (module.isTest || !module.file.startsWith("src/")) continue;
    for (const door of DOORS) {
      if (mayOpen(door, module.file)) continue;
      const report = (used: string, line: number): number =>
        problems.push({
          rule: "doors",
          file: module.file,
          line,
          message: `${used} opens ${door.what} outside ${door.allowed.join(", ")}; ${door.instead}`,
        });
      for (const fact of module.imports) {
        const specifier = fact.specifier;
        const bare = specifier.startsWith("node:") ? specifier.slice(5) : `node:${specifier}`;
        const names = door.names?.filter((n) => {
          const [from, name] = n.split("#") as [string, string];
          return (from === specifier || from === bare) && fact.names.includes(name);
        });
        if (door.modules?.some((m) => matches(m, specifier) || matches(m, bare) || specifier.startsWith(`${m}/`)) === true)
          report(specifier, fact.line);
        else if (names !== undefined && names.length > 0) report(names.join(", "), fact.line);
      }
      for (const call of module.calls) {
        const name = call.name.replace(/^globalThis\./, "");
        const isTimer = /^set(Timeout|Interval|Immediate)$/.test(name);
        if (door.calls?.some((c) => matches(c, name)) === true && !(isTimer && call.unreffed)) report(name, call.line);
      }
    }
  }
  return problems;
}
