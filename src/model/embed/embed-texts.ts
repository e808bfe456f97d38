/**
 * Embeddings behind the same gate: the built-in vectoriser, or a provider's model under the same
 * budgets, lines, limits and breakers as any other call.
 */
import { yieldToLoop, SylkError } from "../../kernel/index.ts";
import { runCall, type CallDeps } from "../call/run-call.ts";
import type { Provider } from "../providers/types.ts";
import type { CallFacts, EmbedResult, ModelRequest } from "../types.ts";
import { LEXICAL_DIMENSIONS, lexicalVector } from "../lexical/index.ts";

const BUILTIN = "builtin/lexical";
const BATCH_TEXTS = 96;
/** The built-in one lets others run after so many characters. */
const TURN_CHARS = 200_000;

export interface EmbedRequest extends CallFacts {
  texts: readonly string[];
  /** `builtin/lexical` or provider/model; the configured one when absent. */
  model?: string | undefined;
}

async function lexicalVectors(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  let chars = 0;
  for (const text of texts) {
    vectors.push(lexicalVector(text));
    chars += text.length;
    if (chars < TURN_CHARS) continue;
    chars = 0;
    await yieldToLoop();
    signal.throwIfAborted();
  }
  return vectors;
}

/** A provider whose answer to the call is the vectors of these texts. */
function embeddingProvider(provider: Provider, name: string, texts: readonly string[], keep: (vectors: Float32Array[]) => void): Provider {
  return {
    async *stream(call, signal) {
      if (provider.embed === undefined)
        throw new SylkError({
          code: "MODEL_NO_EMBEDDINGS",
          tier: "user_fixable",
          message: `provider "${name}" has no embeddings`,
          fix: `set llm.embedding_model to another provider's model or to ${BUILTIN}`,
        });
      const { vectors, tokens } = await provider.embed(call.model, texts, signal);
      keep(vectors);
      yield { type: "vectors", vectors };
      const usage =
        tokens === undefined
          ? undefined
          : { inputTokens: tokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, estimated: false };
      yield { type: "finish", stopReason: "end_turn", usage };
    },
  };
}

async function embedBatch(
  deps: CallDeps,
  model: string,
  request: EmbedRequest,
  texts: readonly string[],
  callId: string,
  signal: AbortSignal,
): Promise<Float32Array[] | Exclude<EmbedResult, { kind: "ok" }>> {
  let vectors: Float32Array[] = [];
  const keep = (found: Float32Array[]): void => {
    vectors = found;
  };
  const { texts: _, model: __, ...facts } = request;
  const call: ModelRequest = { ...facts, model, system: "", user: texts.join("\n"), tools: [], maxOutputTokens: 0 };
  const embedDeps: CallDeps = {
    ...deps,
    recorder: undefined,
    providerFor: (name) => embeddingProvider(deps.providerFor(name), name, texts, keep),
  };
  const result = await runCall(embedDeps, call, { callId, emit: () => undefined, backpressureEvents: () => 0 }, signal);
  return result.kind === "ok" ? vectors : result;
}

export async function embedTexts(
  deps: CallDeps,
  request: EmbedRequest,
  newCallId: () => string,
  signal: AbortSignal,
): Promise<EmbedResult> {
  const model = request.model ?? deps.config.embeddingModel;
  if (model === BUILTIN) return { kind: "ok", model, dimensions: LEXICAL_DIMENSIONS, vectors: await lexicalVectors(request.texts, signal) };
  const vectors: Float32Array[] = [];
  for (let from = 0; from < request.texts.length; from += BATCH_TEXTS) {
    const batch = await embedBatch(deps, model, request, request.texts.slice(from, from + BATCH_TEXTS), newCallId(), signal);
    if (!Array.isArray(batch)) return batch;
    vectors.push(...batch);
  }
  return { kind: "ok", model, dimensions: vectors[0]?.length ?? 0, vectors };
}
