/** Models as knowledge sees them: each is handed in, may be absent, and may fail without breaking an answer. */
import type { Embedder } from "./embed/embedder.ts";

export interface RerankItem {
  n: number;
  text: string;
}

export type Reranked = { kind: "ok"; order: number[] } | { kind: "failed"; reason: string };

export interface Synthesis {
  question: string;
  /** Numbered, fenced sources. */
  sources: string;
  conflicts: string;
  /** What to do with them beyond answering, e.g. compare. */
  task?: string | undefined;
}

export type Synthesised = { kind: "ok"; text: string; tokens: number } | { kind: "failed"; reason: string };

export interface Evaluation {
  question: string;
  /** One line for each thing kept so far. */
  known: readonly string[];
  candidates: readonly RerankItem[];
}

export type Evaluated =
  | { kind: "ok"; sufficient: boolean; confidence: number; refinedQuery: string; selected: number[] }
  | { kind: "failed"; reason: string };

/** `model` is `provider/model`: what one said is not given for what another would say. */
export interface Reranker {
  readonly model: string;
  rerank(question: string, items: readonly RerankItem[], signal: AbortSignal): Promise<Reranked>;
}

export interface Evaluator {
  readonly model: string;
  evaluate(request: Evaluation, signal: AbortSignal): Promise<Evaluated>;
}

export interface Answerer {
  readonly model: string;
  answer(request: Synthesis, signal: AbortSignal): Promise<Synthesised>;
}

/** Each gives undefined when no such model is configured. */
export interface KnowledgeModels {
  embedder(): Embedder | undefined;
  reranker(): Reranker | undefined;
  evaluator(): Evaluator | undefined;
  answerer(): Answerer | undefined;
}
