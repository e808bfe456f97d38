/**
 * No circles inside a floor: among the files and folders of one folder, whoever is used does not use
 * back, not even for a type. A folder counts as one thing, with all that is in it.
 */
import type { Edge, Problem, Tree } from "./tree.ts";

/** The folder two files share, and what each is called in it. */
function meeting(from: string, to: string): { at: string; from: string; to: string } {
  const [a, b] = [from.split("/"), to.split("/")];
  let depth = 0;
  while (a[depth] === b[depth]) depth += 1;
  return { at: a.slice(0, depth).join("/"), from: a[depth] as string, to: b[depth] as string };
}

type Graph = Map<string, Map<string, Edge>>;

/** Groups of things that reach each other, by Tarjan's algorithm. */
function knots(graph: Graph): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): void => {
    index.set(name, index.size);
    low.set(name, index.get(name) as number);
    open.push(name);
    for (const next of graph.get(name)?.keys() ?? []) {
      if (!index.has(next)) visit(next);
      else if (!open.includes(next)) continue;
      low.set(name, Math.min(low.get(name) as number, low.get(next) as number));
    }
    if (low.get(name) !== index.get(name)) return;
    const knot = open.splice(open.indexOf(name));
    if (knot.length > 1) found.push(knot.sort());
  };
  for (const name of graph.keys()) if (!index.has(name)) visit(name);
  return found;
}

export function checkCycles(tree: Tree): Problem[] {
  const folders = new Map<string, Graph>();
  for (const edge of tree.edges) {
    const { file, isTest } = edge.from;
    if (isTest || !file.startsWith("src/") || file === edge.to) continue;
    const { at, from, to } = meeting(file, edge.to);
    // Floors among each other are the business of the layers.
    if (at === "src") continue;
    const graph: Graph = folders.get(at) ?? new Map();
    const targets = graph.get(from) ?? new Map<string, Edge>();
    if (!targets.has(to)) targets.set(to, edge);
    folders.set(at, graph.set(from, targets));
  }
  const problems: Problem[] = [];
  for (const [at, graph] of folders) {
    for (const knot of knots(graph)) {
      const inside = knot.flatMap((from) =>
        [...(graph.get(from) ?? [])].filter(([to]) => knot.includes(to)).map(([to, edge]) => ({ text: `${from} → ${to}`, edge })),
      );
      for (const { text, edge } of inside)
        problems.push({
          rule: "cycles",
          file: edge.from.file,
          line: edge.fact.line,
          message: `${text} is part of a circle in ${at} (${knot.join(", ")}); move what both need below them`,
        });
    }
  }
  return problems;
}
