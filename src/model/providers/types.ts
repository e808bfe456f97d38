/** The seam between the gate and whatever answers. A provider throws what went wrong, unclassified. */
import type { CachePrefix, CallFacts, ModelMessage, ModelPicture, StopReason, ToolSpec, Usage } from "../types.ts";

export type Environment = Record<string, string | undefined>;

export interface ProviderCall {
  model: string;
  messages: readonly ModelMessage[];
  /** For the first user message. */
  pictures: readonly ModelPicture[];
  tools: readonly ToolSpec[];
  maxOutputTokens: number;
  temperature?: number | undefined;
  cachePrefix?: CachePrefix | undefined;
  responseSchema?: Record<string, unknown> | undefined;
  facts: CallFacts;
  /** From 1; a retried call is the same call with a higher attempt. */
  attempt: number;
}

export type ProviderPart =
  | { type: "headers"; headers: Record<string, string> }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_start"; id: string; name: string }
  | { type: "tool_delta"; id: string; argumentsDelta: string }
  | { type: "tool_end"; id: string; name: string; raw: string }
  /** The answer of an embedding call. */
  | { type: "vectors"; vectors: Float32Array[] }
  | { type: "finish"; stopReason: StopReason; usage: Usage | undefined };

export interface Provider {
  /** Resolves lazily: nothing is loaded before the first part is asked for. */
  stream(call: ProviderCall, signal: AbortSignal): AsyncIterable<ProviderPart>;
  /** Throws when a call of this model could only fail, as far as that is known without making one. */
  check?(model: string): void;
  /** Absent: this provider has no embeddings. */
  embed?(model: string, texts: readonly string[], signal: AbortSignal): Promise<{ vectors: Float32Array[]; tokens: number | undefined }>;
}
