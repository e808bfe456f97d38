/** What a model should see of a question's answer: found, judged, checked for contradictions, packed within a budget. */
import type { DatabaseSync } from "node:sqlite";
import { openGraph } from "../graph/open-graph.ts";
import { findConflicts } from "../truth/find-conflicts.ts";
import type { FoundConflict } from "../store/conflict-writer.ts";
import { packContext, type Candidate, type Packed } from "../truth/pack-context.ts";
import type { Found, SearchHit, SearchRequest } from "../types.ts";

export interface ContextRequest extends SearchRequest {
  maxTokens?: number | undefined;
  countTokens: (text: string) => number;
}

export type Context = Packed & { conflicts: FoundConflict[] };

/** What is this much further from the question than the best is no source of an answer. */
const LEAST_SHARE = 0.2;

export interface ContextParts {
  db: DatabaseSync;
  find: (request: SearchRequest) => Promise<Found>;
  textOf: (hit: SearchHit) => Promise<string>;
  nowMs: number;
  /** Sends contradictions to be kept; the answer does not wait for it. */
  keep: (found: readonly FoundConflict[]) => void;
}

export async function buildContext(parts: ContextParts, request: ContextRequest): Promise<{ context: Context; hits: SearchHit[] }> {
  const { hits, warnings } = await parts.find(request);
  const graph = openGraph(parts.db);
  const candidates: Candidate[] = [];
  for (const hit of hits) {
    const node = graph.get(hit.node);
    if (node !== undefined) candidates.push({ node, similarity: hit.score, text: node.content ?? (await parts.textOf(hit)) });
  }
  const conflicts = findConflicts(
    parts.db,
    candidates.map((one) => one.node),
    parts.nowMs,
  );
  if (conflicts.unkept.length > 0) parts.keep(conflicts.unkept);
  const least = LEAST_SHARE * Math.max(0, ...hits.map((hit) => hit.score));
  const sources = candidates.filter((one) => one.similarity >= least);
  const packed = packContext(sources, { nowMs: parts.nowMs, maxTokens: request.maxTokens, countTokens: request.countTokens });
  return { context: { ...packed, warnings: [...warnings, ...packed.warnings], conflicts: conflicts.open }, hits };
}
