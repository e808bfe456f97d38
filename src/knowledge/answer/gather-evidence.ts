/**
 * Looks again with better words (KNO-060, KNO-061): after each look a model says which of what was found
 * bears on the question, whether that is enough, and what to look for next. Bounded by depth, tokens, and by
 * looks that bring nothing new; whatever goes wrong, what was gathered until then is the result.
 */
import { fence, fenceLine } from "../truth/fence.ts";
import type { Found, SearchHit, SearchRequest } from "../types.ts";
import type { Evaluator } from "../models.ts";

export interface RetrievalLimits {
  initialK: number;
  maxDepth: number;
  confidenceThreshold: number;
  maxTokens: number;
}

export interface GatherParts {
  find: (request: SearchRequest) => Promise<Found>;
  textOf: (hit: SearchHit) => Promise<string>;
  countTokens: (text: string) => number;
  evaluator: Evaluator | undefined;
  limits: RetrievalLimits;
}

const EXCERPT_CHARS = 600;

export async function gatherEvidence(parts: GatherParts, request: SearchRequest, signal: AbortSignal): Promise<Found> {
  const { limits, evaluator } = parts;
  if (evaluator === undefined) return parts.find(request);
  const gathered = new Map<string, Found["hits"][number]>();
  const warnings: string[] = [];
  const asked = new Set<string>();
  let query = request.text;
  let tokens = 0;
  for (let depth = 0; depth < limits.maxDepth && !asked.has(query); depth += 1) {
    asked.add(query);
    const found = await parts.find({ ...request, text: query, k: limits.initialK });
    warnings.push(...found.warnings.filter((warning) => !warnings.includes(warning)));
    const fresh = found.hits.filter((hit) => !gathered.has(hit.node));
    if (fresh.length === 0) break;
    const texts = await Promise.all(
      fresh.map(async (hit) => fence(`${hit.path || hit.node} ${hit.title}\n${await parts.textOf(hit)}`).slice(0, EXCERPT_CHARS)),
    );
    const verdict = await evaluator.evaluate(
      {
        question: request.text,
        known: [...gathered.values()].map((hit) => fenceLine(`${hit.path || hit.node} ${hit.title}`)),
        candidates: texts.map((text, i) => ({ n: i + 1, text })),
      },
      signal,
    );
    if (verdict.kind === "failed") {
      warnings.push(`looking further failed: ${verdict.reason}`);
      for (const hit of fresh) gathered.set(hit.node, hit);
      break;
    }
    let full = false;
    for (const n of new Set(verdict.selected)) {
      const hit = fresh[n - 1];
      if (hit === undefined) continue;
      const cost = parts.countTokens(texts[n - 1] as string);
      if (tokens + cost > limits.maxTokens) {
        full = true;
        continue;
      }
      tokens += cost;
      gathered.set(hit.node, hit);
    }
    if (full || verdict.sufficient || verdict.confidence >= limits.confidenceThreshold || verdict.refinedQuery.trim() === "") break;
    query = verdict.refinedQuery.trim();
  }
  return { hits: [...gathered.values()], warnings };
}
