/** Lower floors never import higher ones, and other floors are entered by their front door only. */
import { FLOORS, NARROW } from "./rules.ts";
import type { Edge, Problem, Tree } from "./tree.ts";

export function floorOf(file: string): string | undefined {
  return /^src\/([^/]+)\//.exec(file)?.[1];
}

function rankOf(floor: string): number {
  return FLOORS.findIndex((row) => row.includes(floor));
}

/** `src/<floor>/index.ts` or `src/<floor>/<area>/index.ts`. */
function isFrontDoor(file: string): boolean {
  return /^src\/[^/]+\/(?:[^/]+\/)?index\.ts$/.test(file);
}

/** The second-level folder of a file: `src/surface/cli/x.ts` → `src/surface/cli`. */
function areaOf(file: string): string | undefined {
  return /^(src\/[^/]+\/[^/]+)\//.exec(file)?.[1];
}

/** Parts of a floor whose insides are closed even to the rest of that floor. */
function closedPart(file: string): string | undefined {
  return /^(.*)\/internal\//.exec(file)?.[1];
}

export function checkLayers(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const neighbours = new Map<string, Map<string, Edge>>();
  for (const module of tree.modules.values()) {
    const floor = floorOf(module.file);
    if (floor !== undefined && rankOf(floor) === -1)
      problems.push({
        rule: "layers",
        file: module.file,
        line: 1,
        message: `src/${floor} is not a floor of the house; floors are listed in scripts/architecture/rules.ts`,
      });
    if (/^src\/[^/]+$/.test(module.file))
      problems.push({ rule: "layers", file: module.file, line: 1, message: "belongs to no floor; put it into a folder under src" });
  }
  for (const edge of tree.edges) {
    const problem = (message: string): number => problems.push({ rule: "layers", file: edge.from.file, line: edge.fact.line, message });
    const from = floorOf(edge.from.file);
    const to = floorOf(edge.to);
    if (from === undefined) continue;
    if (to === undefined) {
      if (!edge.from.isTest) problem(`product code imports ${edge.to}, which is outside src`);
      continue;
    }
    if (from === to) {
      const closed = closedPart(edge.to);
      if (closed !== undefined && !edge.from.file.startsWith(`${closed}/`))
        problem(`${edge.to} is internal to ${closed}; use ${closed}/index.ts`);
      const area = areaOf(edge.to);
      const entered = area !== undefined && area !== areaOf(edge.from.file) && !isFrontDoor(edge.to) && !edge.from.isTest;
      if (entered && tree.modules.has(`${area}/index.ts`)) problem(`${edge.to} is private to ${area}; import it through ${area}/index.ts`);
      continue;
    }
    const [fromRank, toRank] = [rankOf(from), rankOf(to)];
    if (fromRank === -1 || toRank === -1) continue;
    if (toRank > fromRank) problem(`floor ${from} is below ${to} and must not import from it (${edge.to})`);
    else if (NARROW[from]?.includes(to) === false && !edge.from.isTest)
      problem(`${from} sees only ${NARROW[from].join(", ")}, not ${to} (${edge.to})`);
    else if (!isFrontDoor(edge.to) && !edge.from.isTest)
      problem(`${edge.to} is private to ${to}; import it through an index.ts of src/${to}`);
    if (toRank === fromRank && !edge.from.isTest) {
      const known = neighbours.get(from) ?? new Map<string, Edge>();
      if (!known.has(to)) known.set(to, edge);
      neighbours.set(from, known);
    }
  }
  for (const [from, targets] of neighbours) {
    for (const [to, edge] of targets) {
      if (from < to && neighbours.get(to)?.has(from) === true)
        problems.push({
          rule: "layers",
          file: edge.from.file,
          line: edge.fact.line,
          message: `floors ${from} and ${to} import each other; only one of two neighbours may use the other`,
        });
    }
  }
  return problems;
}
