/** What knowledge says to the floors above. */

import type { CHOICES } from "../protocol/index.ts";

export type IndexProgress = { phase: "listing" | "reading" | "history" | "linking" | "embedding"; done: number; total: number };

export type SearchDomain = (typeof CHOICES.searchDomain)[number];

export interface SearchRequest {
  text: string;
  domain?: SearchDomain | undefined;
  k?: number | undefined;
  /** Only paths that match this glob. */
  pathGlob?: string | undefined;
  /** Let the configured model put the best in order. */
  rerank?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** This process asks nothing else: no thread is started for it. */
  once?: boolean | undefined;
}

export interface SearchHit {
  domain: "code" | "docs" | "history";
  /** Relative to the project; empty for history without a file. */
  path: string;
  /** The node's id: `<path>:<symbol>`, `commit:<hash>`, `<source>:<id>`. */
  node: string;
  externalId: string | undefined;
  /** 0 to 1: closeness to the best of its domain, times how much of the question the domain knows at all. */
  score: number;
  lines: { from: number; to: number } | undefined;
  /** One line that shows what was found. */
  title: string;
  /** Parts of the score, strongest first. */
  why: string[];
  author: string | undefined;
  time: string | undefined;
  trust: number;
  warning: string | undefined;
}

export interface ShownHit extends SearchHit {
  /** Three to six lines around the best place. */
  text: string;
  /** The line of the file they begin with. */
  textLine: number | undefined;
}

export interface KnowledgeStatus {
  file: string;
  bytes: number;
  indexedAt: string | undefined;
  files: number;
  /** Files of which only the beginning was read, largest first. */
  cut: string[];
  symbols: number;
  chunks: number;
  commits: number;
  entries: number;
  edges: number;
  /** What questions are asked with now. */
  vectors: { model: string; dimensions: number; count: number };
  /** The model that is configured beside the built-in one, and how far it has come. */
  embeddings:
    | { model: string; dimensions: number; embedded: number; pending: number; inUse: boolean; trouble: string | undefined }
    | undefined;
  historyPartial: boolean;
  /** Of this process. */
  cache: { hits: number; misses: number; invalidations: number };
}

/** Hits, and what could not be done as asked. */
export interface Found {
  hits: ShownHit[];
  warnings: string[];
}
