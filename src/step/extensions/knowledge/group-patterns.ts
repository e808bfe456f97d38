/** Entries that say the same thing, counted by the sessions and tasks they come from (KNO-038): one event stored twice is one. */
import { must } from "../../../kernel/index.ts";
import type { KnowledgeNode } from "../../../knowledge/index.ts";
import { lexicalVector } from "../../../model/lexical/index.ts";

const ALIKE = 0.85;

export interface PatternGroup {
  newest: KnowledgeNode;
  occurrences: number;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Most frequent first. */
export function groupPatterns(nodes: readonly KnowledgeNode[]): PatternGroup[] {
  const groups: { vector: Float32Array; title: string; nodes: KnowledgeNode[] }[] = [];
  for (const node of nodes) {
    const vector = lexicalVector(node.content ?? node.name);
    const title = plain(node.name);
    const group = groups.find((one) => one.title === title || cosine(one.vector, vector) >= ALIKE);
    if (group === undefined) groups.push({ vector, title, nodes: [node] });
    else group.nodes.push(node);
  }
  return groups
    .map((group) => ({
      newest: must(group.nodes.toSorted((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1))[0]),
      occurrences: new Set(group.nodes.map((node) => node.session ?? node.id)).size,
    }))
    .toSorted((a, b) => b.occurrences - a.occurrences);
}
