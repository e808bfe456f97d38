/**
 * Searching with models where they are configured: a provider's vectors for the question, another order
 * when asked. Each falls back to what needs no model, and says so.
 */
import type { DatabaseSync } from "node:sqlite";
import type { KnowledgeModels } from "../models.ts";
import type { Embedder } from "../embed/embedder.ts";
import { findNear, type Near } from "../embed/find-near.ts";
import { wordVectorsState } from "../text/word-vectors.ts";
import { isUsable, readVectorState, type VectorState } from "../embed/vector-state.ts";
import type { Found, SearchHit, SearchRequest, ShownHit } from "../types.ts";
import { rerankHits, RERANK_WINDOW, type Ordered } from "./rerank-hits.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Questions whose vectors are remembered, and the longest that is embedded. */
const LIMITS = { asked: 200, queryChars: 4_000 };
export const DEFAULT_K = 10;

export interface FinderParts {
  db: () => DatabaseSync;
  models: KnowledgeModels | undefined;
  search: (request: SearchRequest, near?: Near) => Promise<SearchHit[]>;
  textOf: (hit: SearchHit) => Promise<string>;
  show: (question: string, hits: readonly SearchHit[]) => ShownHit[];
}

export interface Finder {
  find(request: SearchRequest): Promise<Found>;
  /** How far the vectors of the configured model have come; counted again only when the index changed. */
  vectors(): VectorState;
}

export function createFinder(parts: FinderParts): Finder {
  const asked = new Map<string, Float32Array>();
  let counted: { db: DatabaseSync; version: number; state: VectorState } | undefined;
  const vectors = (): VectorState => {
    const db = parts.db();
    const version = vocabularyOf(db).refresh();
    if (counted?.db !== db || counted.version !== version) counted = { db, version, state: readVectorState(db) };
    return counted.state;
  };

  const queryVector = async (embedder: Embedder, text: string, signal: AbortSignal): Promise<Float32Array | string> => {
    const key = `${embedder.model}\n${text}`;
    const known = asked.get(key);
    if (known !== undefined) return known;
    const result = await embedder.embed([text.slice(0, LIMITS.queryChars)], signal);
    const vector = result.kind === "ok" ? result.vectors[0] : undefined;
    if (vector === undefined) return result.kind === "failed" ? result.reason : "no vector came back";
    if (asked.size >= LIMITS.asked) asked.delete(asked.keys().next().value as string);
    asked.set(key, vector);
    return vector;
  };

  const findPlain = async (request: SearchRequest, signal: AbortSignal): Promise<Ordered> => {
    const embedder = parts.models?.embedder();
    if (embedder === undefined || request.text.trim() === "") return { hits: await parts.search(request), warnings: [] };
    const state = vectors();
    const plain = async (why: string): Promise<Ordered> => ({
      hits: await parts.search(request),
      warnings: [`${why}; answered with the built-in vectors`],
    });
    if (!isUsable(state, embedder.model))
      return plain(
        state.trouble === undefined || state.model !== embedder.model
          ? `${state.pending} pieces have no vector of ${embedder.model} yet (\`sylk index\` makes them)`
          : `${embedder.model} failed: ${state.trouble.reason}`,
      );
    const vector = await queryVector(embedder, request.text, signal);
    if (typeof vector === "string") return plain(`${embedder.model} failed: ${vector}`);
    if (vector.length !== state.dimensions)
      return plain(`${embedder.model} answers with ${vector.length} numbers instead of ${state.dimensions}`);
    const near = findNear(parts.db(), embedder.model, vector);
    return near === undefined
      ? plain(`the vectors of ${embedder.model} were replaced`)
      : { hits: await parts.search(request, near), warnings: [] };
  };

  return {
    vectors,
    async find(request) {
      const signal = request.signal ?? new AbortController().signal;
      const shown = ({ hits, warnings }: Ordered): Found => {
        const { trouble } = wordVectorsState();
        return { hits: parts.show(request.text, hits), warnings: trouble === undefined ? warnings : [...warnings, trouble] };
      };
      if (request.rerank !== true) return shown(await findPlain(request, signal));
      const k = request.k ?? DEFAULT_K;
      const found = await findPlain({ ...request, k: Math.max(k, RERANK_WINDOW) }, signal);
      const { hits, warnings } = await rerankHits(request.text, found, parts.models?.reranker(), parts.textOf, signal);
      return shown({ hits: hits.slice(0, k), warnings });
    },
  };
}
