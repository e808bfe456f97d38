/** All checks over one tree. */
import { checkCycles } from "./check-cycles.ts";
import { checkDependencies } from "./check-dependencies.ts";
import { checkDoors } from "./check-doors.ts";
import { checkCasts, checkFiles, checkFloors } from "./check-files.ts";
import { checkLayers } from "./check-layers.ts";
import { checkMembers } from "./check-members.ts";
import { checkExports, checkReach } from "./check-reach.ts";
import { checkRoleTables, checkWidth } from "./check-width.ts";
import { loadTree, type Problem } from "./tree.ts";

export interface Findings {
  filesSeen: number;
  problems: Problem[];
}

export function checkArchitecture(root: string, options: { layersOnly: boolean }): Findings {
  const tree = loadTree(root);
  const filesSeen = [...tree.modules.keys()].filter((file) => file.startsWith("src/")).length;
  const problems = [
    ...tree.broken,
    ...checkLayers(tree),
    ...checkCycles(tree),
    ...checkDoors(tree),
    ...checkFiles(tree),
    ...checkCasts(tree),
    ...checkFloors(tree),
    ...checkWidth(tree),
    ...checkRoleTables(tree),
  ];
  if (filesSeen === 0)
    problems.push({ rule: "empty", file: "src", line: 1, message: `no source file was seen under ${root}; the check would prove nothing` });
  if (!options.layersOnly) problems.push(...checkReach(tree), ...checkExports(tree), ...checkMembers(tree), ...checkDependencies(tree));
  problems.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
  return { filesSeen, problems };
}
