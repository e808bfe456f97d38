/** File sizes and names. A file without any function is a data table and may be long. */
import { EMPTY_NAMES, MAX_LINES, MAX_TEST_LINES } from "./rules.ts";
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
