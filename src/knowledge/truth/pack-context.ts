/**
 * Chooses and renders what a model gets to see (MIT-050…052, MIT-061): best quality per token within a
 * budget, several sources rather than one, each fenced as data so that what it says is never an order.
 */
import type { KnowledgeNode } from "../graph/open-graph.ts";
import { fence, fenceLine } from "./fence.ts";
import { freshness, trustName, trustOf } from "./trust.ts";

const QUALITY = {
  maxTokens: 8_000,
  minScore: 0.3,
  similarity: 0.35,
  trust: 0.25,
  freshness: 0.25,
  verified: 0.15,
  maxChars: 1_000,
  samePath: 3,
};

export interface Candidate {
  node: KnowledgeNode;
  /** 0 to 1. */
  similarity: number;
  text: string;
}

export interface Packed {
  text: string;
  tokens: number;
  /** Ids in the order of their numbers. */
  sources: string[];
  /** The same with what they were judged by. */
  items: { node: KnowledgeNode; similarity: number; trust: number; quality: number; text: string }[];
  warnings: string[];
}

function qualityOf(piece: { similarity: number; trust: number; freshness: number; verified: boolean }): number {
  return Math.min(
    1,
    QUALITY.similarity * Math.max(0, piece.similarity) +
      QUALITY.trust * (piece.trust / 100) +
      QUALITY.freshness * piece.freshness +
      (piece.verified ? QUALITY.verified : 0),
  );
}

/** What was imported is told by whoever is named there, which nobody has checked. */
function nameOf({ node, trust }: { node: KnowledgeNode; trust: number }): string {
  if (node.id.startsWith("import:")) return node.author === undefined ? "imported" : `imported, told by ${fenceLine(node.author)}`;
  return trustName(trust, node.domain).name;
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/u, "")}…`;
}

export function packContext(
  candidates: readonly Candidate[],
  options: { nowMs: number; maxTokens?: number | undefined; countTokens: (text: string) => number },
): Packed {
  const scored = candidates
    .map((one) => {
      const ageMs = one.node.time === undefined ? 0 : options.nowMs - Date.parse(one.node.time);
      const trust = trustOf({ domain: one.node.domain, type: one.node.type, verified: one.node.verified, ageMs, byUser: one.node.byUser });
      const fresh = freshness({ domain: one.node.domain, ageMs, superseded: one.node.supersededBy !== undefined, expired: false });
      return {
        ...one,
        trust,
        warning: fresh.warning,
        quality: qualityOf({ similarity: one.similarity, trust, freshness: fresh.score, verified: one.node.verified }),
      };
    })
    .filter((one) => one.quality >= QUALITY.minScore)
    .sort((a, b) => b.quality - a.quality);
  const packed: Packed = { text: "", tokens: 0, sources: [], items: [], warnings: [] };
  const perPath = new Map<string, number>();
  const blocks: string[] = [];
  for (const one of scored) {
    const place = one.node.path ?? one.node.name;
    if ((perPath.get(place) ?? 0) >= QUALITY.samePath) continue;
    const where =
      one.node.domain === "code"
        ? `${place}${one.node.line === undefined ? "" : `:${one.node.line}-${one.node.endLine ?? one.node.line}`}`
        : `${one.node.name}${one.node.time === undefined ? "" : ` (${one.node.time.slice(0, 10)})`}`;
    const mark = one.node.verified || one.node.domain === "code" ? "" : " [UNVERIFIED]";
    const notes = [trustName(one.trust, one.node.domain).caution, one.warning === undefined ? undefined : `⚠️ ${one.warning}`].filter(
      (note) => note !== undefined,
    );
    const head = `[${packed.sources.length + 1}] ${fenceLine(where)} — ${nameOf(one)}, quality ${one.quality.toFixed(2)}${mark}${notes.map((note) => `\n${note}`).join("")}`;
    const block = `${head}\n<source>\n${fence(cut(one.text, QUALITY.maxChars))}\n</source>`;
    const cost = options.countTokens(block);
    if (packed.tokens + cost > (options.maxTokens ?? QUALITY.maxTokens)) continue;
    perPath.set(place, (perPath.get(place) ?? 0) + 1);
    packed.tokens += cost;
    packed.sources.push(one.node.id);
    packed.items.push({ node: one.node, similarity: one.similarity, trust: one.trust, quality: one.quality, text: one.text });
    if (one.warning !== undefined) packed.warnings.push(`${one.node.id}: ${one.warning}`);
    blocks.push(block);
  }
  packed.text = blocks.join("\n\n");
  return packed;
}
