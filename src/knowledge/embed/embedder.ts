/** What knowledge needs of a model that turns texts into vectors. Whoever opens knowledge brings it; none is known here. */
export interface Embedder {
  /** `provider/model`; vectors of one are never compared with vectors of another. */
  readonly model: string;
  /** Vectors in the order of the texts, or why there are none. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

export type Embedded = { kind: "ok"; vectors: Float32Array[] } | { kind: "failed"; reason: string };
