/** Lets a model put the best hits in another order, when asked. The window is bounded; whatever goes wrong, the plain order stands and says so. */
import type { Reranker } from "../models.ts";
import { fence } from "../truth/fence.ts";
import type { SearchHit } from "../types.ts";

const RERANK = { window: 20, chars: 400 };

export const RERANK_WINDOW = RERANK.window;

export interface Ordered {
  hits: SearchHit[];
  warnings: string[];
}

/** The ladder of scores stays; who stands on which step changes. */
function reorder(hits: readonly SearchHit[], order: readonly number[]): SearchHit[] {
  const chosen = [...new Set(order)].filter((n) => Number.isInteger(n) && n >= 1 && n <= hits.length).map((n) => n - 1);
  const rest = hits.keys().filter((i) => !chosen.includes(i));
  return [...chosen, ...rest].map((from, to) => {
    const hit = hits[from] as SearchHit;
    const moved = from === to ? [] : [`put ${from < to ? "lower" : "higher"} by a model`];
    return { ...hit, score: (hits[to] as SearchHit).score, why: [...hit.why, ...moved] };
  });
}

export async function rerankHits(
  question: string,
  found: Ordered,
  reranker: Reranker | undefined,
  textOf: (hit: SearchHit) => Promise<string>,
  signal: AbortSignal,
): Promise<Ordered> {
  const plain = (why: string): Ordered => ({ hits: found.hits, warnings: [...found.warnings, `${why}; the plain order stands`] });
  if (reranker === undefined) return plain("no model is configured to rerank with");
  const window = found.hits.slice(0, RERANK.window);
  if (window.length < 2) return found;
  const items = await Promise.all(
    window.map(async (hit, i) => ({
      n: i + 1,
      text: fence(`${hit.path === "" ? hit.node : hit.path} ${hit.title}\n${(await textOf(hit)).slice(0, RERANK.chars)}`),
    })),
  );
  const result = await reranker.rerank(question, items, signal);
  if (result.kind === "failed") return plain(`reranking failed: ${result.reason}`);
  return { hits: [...reorder(window, result.order), ...found.hits.slice(RERANK.window)], warnings: found.warnings };
}
