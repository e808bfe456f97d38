/**
 * What an interface offers is used: somebody calls its functions, somebody gives its options. Judged by
 * name over the whole product, so a common name may hide an unused member, but what is reported is unused.
 */
import { FILLED_ELSEWHERE, UNUSED_MEMBERS } from "./rules.ts";
import { RULES, type Problem, type Tree } from "./tree.ts";

export function checkMembers(tree: Tree): Problem[] {
  const modules = [...tree.modules.values()].filter((module) => module.file.startsWith("src/") && !module.isTest);
  const read = new Set(modules.flatMap((module) => [...module.members.read]));
  const given = new Set(modules.flatMap((module) => [...module.members.given]));
  const problems: Problem[] = [];
  const excused = new Set<string>();
  for (const { file, members } of modules) {
    for (const { name, line, kind } of members.offered) {
      const bare = name.slice(name.indexOf(".") + 1);
      if (kind === "option" && FILLED_ELSEWHERE.test(name)) continue;
      if (kind === "call" ? read.has(bare) : given.has(bare)) continue;
      const key = `${file}#${name}`;
      excused.add(key);
      if (key in UNUSED_MEMBERS) continue;
      const message = kind === "call" ? `nobody calls ${name}; connect it or delete it` : `nobody gives ${name}; connect it or delete it`;
      problems.push({ rule: "members", file, line, message: `${message} (tests do not count)` });
    }
  }
  const stale = Object.keys(UNUSED_MEMBERS).filter((key) => tree.isHouse && !excused.has(key));
  for (const key of stale)
    problems.push({ rule: "members", file: RULES, line: 1, message: `${key} is gone or used now; take it off UNUSED_MEMBERS` });
  return problems;
}
