/** File sizes and names. A file without any function is a data table and may be long. */
import { floorOf } from "./check-layers.ts";
import { EMPTY_NAMES, MAX_CASTS_PER_1000_LINES, MAX_FLOOR_LINES, MAX_LINES, MAX_TEST_LINES } from "./rules.ts";
import type { Problem, Tree } from "./tree.ts";

export function checkFiles(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const module of tree.modules.values()) {
    const limit = module.isTest ? MAX_TEST_LINES : MAX_LINES;
    if (module.lines > limit && module.hasFunctions)
      problems.push({
        rule: "size",
        file: module.file,
        line: limit,
        message: `has ${module.lines} lines, more than ${limit}; split it by responsibility`,
      });
    const base = (module.file.split("/").at(-1) as string).replace(/(\.test|\.long\.test|\.config)?\.(ts|tsx|mts|mjs)$/, "");
    if (EMPTY_NAMES.includes(base) || EMPTY_NAMES.some((word) => base.endsWith(`-${word}`)))
      problems.push({
        rule: "names",
        file: module.file,
        line: 1,
        message: `"${base}" says nothing about what is inside; name it after its main export`,
      });
    if (module.file.startsWith("src/") && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(base.replaceAll(".", "-")))
      problems.push({ rule: "names", file: module.file, line: 1, message: `"${base}" is not kebab-case` });
  }
  return problems;
}

export function checkFloors(tree: Tree): Problem[] {
  return Object.entries(MAX_FLOOR_LINES).flatMap(([floor, limit]) => {
    const own = [...tree.modules.values()].filter((module) => !module.isTest && floorOf(module.file) === floor);
    const lines = own.reduce((sum, module) => sum + module.lines, 0);
    if (lines <= limit) return [];
    const message = `${floor} has ${lines} lines, more than ${limit}; move rules to the floor they belong to`;
    return [{ rule: "size", file: `src/${floor}`, line: 1, message }];
  });
}

/** How often the code claims a type instead of proving it. */
export function checkCasts(tree: Tree): Problem[] {
  const own = [...tree.modules.values()].filter((module) => !module.isTest && module.file.startsWith("src/"));
  const casts = own.reduce((sum, module) => sum + module.casts, 0);
  const limit = Math.ceil((own.reduce((sum, module) => sum + module.lines, 0) * MAX_CASTS_PER_1000_LINES) / 1_000);
  if (casts <= limit) return [];
  const worst = own.toSorted((a, b) => b.casts - a.casts)[0];
  const message = `${casts} casts, more than ${limit} (${MAX_CASTS_PER_1000_LINES} in 1,000 lines), most of them here; decode at the edge, or use must()`;
  return [{ rule: "casts", file: worst?.file ?? "src", line: 1, message }];
}
