/**
 * The one file that speaks to the AI SDK's provider packages. Packages load on first use; their own
 * retries are never used because the gate must see every refusal. Every `error` part is a failure,
 * whatever the stream says afterwards.
 */
import type {
  EmbeddingModelV4,
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { SylkError } from "../../kernel/index.ts";
import type { ProviderConfig, ProviderKind } from "../config.ts";
import { brokenStream } from "../errors/stream-faults.ts";
import type { StopReason, Usage } from "../types.ts";
import type { Environment } from "./types.ts";
import { boundedFetch, type ResponseLimits } from "./bounded-fetch.ts";
import { ProviderHttpError } from "./http-error.ts";
import { useProxyFrom } from "./proxy.ts";
import type { Provider, ProviderCall, ProviderPart } from "./types.ts";

export interface SdkAccess {
  name: string;
  /** Where proxy settings are read. */
  env: Environment;
  kind: ProviderKind;
  config: Pick<ProviderConfig, "headers">;
  baseUrl: string | undefined;
  apiKey: string;
  limits: ResponseLimits;
}

interface SdkModels {
  language: (modelId: string) => LanguageModelV4;
  embedding?: (modelId: string) => EmbeddingModelV4;
}

async function loadModels({ name, kind, config, baseUrl, apiKey, env, limits }: SdkAccess): Promise<SdkModels> {
  await useProxyFrom(env);
  const fetch = boundedFetch(limits);
  const common = { apiKey, fetch, headers: config.headers, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) };
  switch (kind) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return { language: createAnthropic(common) };
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const openai = createOpenAI(common);
      return { language: openai, embedding: (modelId) => openai.embeddingModel(modelId) };
    }
    case "openai-chat": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const openai = createOpenAI(common);
      return { language: (modelId) => openai.chat(modelId), embedding: (modelId) => openai.embeddingModel(modelId) };
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      const google = createGoogle(common);
      return { language: google, embedding: (modelId) => google.embeddingModel(modelId) };
    }
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      if (baseUrl === undefined)
        throw new SylkError({
          code: "MODEL_NO_BASE_URL",
          tier: "user_fixable",
          message: `provider "${name}" has no base_url`,
          fix: `set llm.providers.${name}.base_url`,
        });
      // A schema is only sent to models the catalogue says can follow one.
      const compatible = createOpenAICompatible({
        name,
        baseURL: baseUrl,
        apiKey,
        fetch,
        headers: config.headers,
        includeUsage: true,
        supportsStructuredOutputs: true,
      });
      return { language: compatible, embedding: (modelId) => compatible.embeddingModel(modelId) };
    }
  }
}

const EPHEMERAL = { anthropic: { cacheControl: { type: "ephemeral" } } };

function promptOf(call: ProviderCall): LanguageModelV4Message[] {
  const stableChars = call.cachePrefix?.userChars ?? 0;
  let firstUser = true;
  return call.messages.map((message): LanguageModelV4Message => {
    if (message.role === "system")
      return { role: "system", content: message.content, ...(call.cachePrefix?.system === true ? { providerOptions: EPHEMERAL } : {}) };
    if (message.role === "assistant") return { role: "assistant", content: [{ type: "text", text: message.content }] };
    const first = firstUser;
    const split = first && stableChars > 0 && stableChars < message.content.length;
    firstUser = false;
    const pictures = first
      ? call.pictures.map(({ mediaType, data }) => ({ type: "file" as const, mediaType, data: { type: "data" as const, data } }))
      : [];
    if (!split) return { role: "user", content: [...pictures, { type: "text", text: message.content }] };
    return {
      role: "user",
      content: [
        ...pictures,
        { type: "text", text: message.content.slice(0, stableChars), providerOptions: EPHEMERAL },
        { type: "text", text: message.content.slice(stableChars) },
      ],
    };
  });
}

const STOP: Record<LanguageModelV4FinishReason["unified"], StopReason> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "content_filter",
  error: "error",
  interrupted: "error",
  other: "end_turn",
};

function usageOf(usage: LanguageModelV4Usage): Usage | undefined {
  const input = usage.inputTokens.total;
  const output = usage.outputTokens.total;
  if (input === undefined || output === undefined || !Number.isFinite(input + output) || input + output === 0) return undefined;
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: usage.inputTokens.cacheRead ?? 0,
    cacheWriteTokens: usage.inputTokens.cacheWrite ?? 0,
    reasoningTokens: usage.outputTokens.reasoning ?? 0,
    estimated: false,
  };
}

/** An error inside a stream: the provider's own refusal when it carries a status, else something unreadable. */
function streamError(error: unknown): Error {
  if (error instanceof SylkError) return error;
  const { statusCode, message, data } = (typeof error === "object" && error !== null ? error : {}) as {
    statusCode?: unknown;
    message?: unknown;
    data?: unknown;
  };
  const text = typeof message === "string" ? message : JSON.stringify(error);
  if (typeof statusCode !== "number" && error instanceof Error) return brokenStream(`the stream cannot be read: ${text}`, error);
  return new ProviderHttpError({
    status: typeof statusCode === "number" ? statusCode : 500,
    message: text,
    body: JSON.stringify(data ?? text),
    cause: error,
  });
}

async function* partsOf(model: LanguageModelV4, call: ProviderCall, signal: AbortSignal): AsyncGenerator<ProviderPart> {
  const { stream, response } = await model.doStream({
    prompt: promptOf(call),
    maxOutputTokens: call.maxOutputTokens,
    abortSignal: signal,
    ...(call.temperature === undefined ? {} : { temperature: call.temperature }),
    ...(call.tools.length === 0 ? {} : { tools: call.tools.map((tool) => ({ type: "function" as const, ...tool })) }),
    ...(call.responseSchema === undefined
      ? {}
      : { responseFormat: { type: "json" as const, schema: call.responseSchema, name: "answer" } }),
  });
  if (response?.headers !== undefined) yield { type: "headers", headers: response.headers };
  const opened = new Set<string>();
  for await (const part of stream) {
    switch (part.type) {
      case "text-delta":
        if (part.delta !== "") yield { type: "text", text: part.delta };
        break;
      case "reasoning-delta":
        if (part.delta !== "") yield { type: "reasoning", text: part.delta };
        break;
      case "tool-input-start":
        opened.add(part.id);
        yield { type: "tool_start", id: part.id, name: part.toolName };
        break;
      case "tool-input-delta":
        if (part.delta !== "") yield { type: "tool_delta", id: part.id, argumentsDelta: part.delta };
        break;
      case "tool-call":
        if (!opened.has(part.toolCallId)) {
          yield { type: "tool_start", id: part.toolCallId, name: part.toolName };
          yield { type: "tool_delta", id: part.toolCallId, argumentsDelta: part.input };
        }
        yield { type: "tool_end", id: part.toolCallId, name: part.toolName, raw: part.input };
        break;
      case "error":
        throw streamError(part.error);
      case "finish": {
        const reason = part.finishReason.unified;
        if (reason === "interrupted" || reason === "error")
          throw brokenStream(`the stream ended early (${part.finishReason.raw ?? reason})`);
        yield { type: "finish", stopReason: STOP[reason], usage: usageOf(part.usage) };
        break;
      }
      default:
        break;
    }
  }
}

export function createSdkProvider(access: SdkAccess): Provider {
  let loading: Promise<SdkModels> | undefined;
  const models = (): Promise<SdkModels> => (loading ??= loadModels(access));
  // A model object builds its schemas when it is made, which costs more than the gate itself.
  const made = new Map<string, LanguageModelV4>();
  return {
    async *stream(call, signal) {
      const { language } = await models();
      const model = made.get(call.model) ?? language(call.model);
      made.set(call.model, model);
      yield* partsOf(model, call, signal);
    },
    async embed(model, texts, signal) {
      const { embedding } = await models();
      if (embedding === undefined)
        throw new SylkError({
          code: "MODEL_NO_EMBEDDINGS",
          tier: "user_fixable",
          message: `provider "${access.name}" has no embeddings`,
          fix: "set llm.embedding_model to another provider's model or to builtin/lexical",
        });
      const { embeddings, usage } = await embedding(model).doEmbed({ values: [...texts], abortSignal: signal });
      const tokens = usage?.tokens;
      return {
        vectors: embeddings.map((vector) => Float32Array.from(vector)),
        tokens: tokens === undefined || Number.isNaN(tokens) ? undefined : tokens,
      };
    },
  };
}
