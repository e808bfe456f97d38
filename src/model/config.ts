/**
 * The `llm` section of the configuration: snake_case in files, camelCase in code; only this file
 * knows both. Every limit, price and time here is data with a stated default.
 */
import { z } from "zod";
import { units } from "../kernel/config/index.ts";

const retry = (attempts: number, initial: string, max: string) =>
  z
    .strictObject({
      max_attempts: z.int().min(1).default(attempts),
      initial_delay: units.duration(initial),
      max_delay: units.duration(max),
      multiplier: z.number().min(1).default(2),
      jitter: z.number().min(0).max(1).default(0.2),
    })
    .transform((r) => ({
      maxAttempts: r.max_attempts,
      initialDelayMs: r.initial_delay,
      maxDelayMs: r.max_delay,
      multiplier: r.multiplier,
      jitter: r.jitter,
    }))
    .prefault({});

/** A subscription's ceiling: warned about at `warn_threshold`, never passed. */
export const subscriptionSchema = z
  .strictObject({
    max_requests: z.int().positive().nullable().default(null),
    max_tokens: z.int().positive().nullable().default(null),
    period: z.enum(["day", "week", "month"]).default("week"),
    warn_threshold: z.number().min(0).max(1).default(0.8),
  })
  .transform((s) => ({ maxRequests: s.max_requests, maxTokens: s.max_tokens, period: s.period, warnAt: s.warn_threshold }));

const PROVIDER_KINDS = ["anthropic", "openai", "openai-chat", "google", "compatible"] as const;

/** It stands in model names, before the slash, and in the names of settings. */
const providerName = z.string().regex(/^[a-z0-9-]+$/u, "a provider's name has lower-case letters, digits and hyphens only");

const provider = z
  .strictObject({
    /** May be left out for the well-known names. */
    kind: z.enum(PROVIDER_KINDS).nullable().default(null),
    enabled: z.boolean().default(true),
    base_url: z.url().nullable().default(null),
    /** Name of the environment variable with the key; the key itself never stands in a file. */
    api_key_env: z.string().nullable().default(null),
    headers: z.record(z.string(), z.string()).default({}),
    /** Short names for this provider's models. */
    models: z.record(z.string(), z.string()).default({}),
    max_concurrent_requests: z.int().positive().default(8),
  })
  .transform((p) => ({
    kind: p.kind,
    enabled: p.enabled,
    baseUrl: p.base_url,
    apiKeyEnv: p.api_key_env,
    headers: p.headers,
    models: p.models,
    maxConcurrentRequests: p.max_concurrent_requests,
  }));

export const modelInfoSchema = z
  .strictObject({
    context_window: z.int().positive(),
    max_output: z.int().nonnegative(),
    /** US dollars per million tokens. */
    input_price: z.number().nonnegative(),
    output_price: z.number().nonnegative(),
    cache_read_price: z.number().nonnegative(),
    cache_write_price: z.number().nonnegative(),
    tools: z.boolean(),
    structured: z.boolean(),
    reasoning: z.boolean(),
    images: z.boolean(),
  })
  .partial()
  .transform((m) => ({
    contextWindow: m.context_window,
    maxOutput: m.max_output,
    inputPrice: m.input_price,
    outputPrice: m.output_price,
    cacheReadPrice: m.cache_read_price,
    cacheWritePrice: m.cache_write_price,
    tools: m.tools,
    structured: m.structured,
    reasoning: m.reasoning,
    images: m.images,
  }));

/** null, zero and below mean unlimited. */
const budget = z.strictObject({ tokens: z.number().nullable().default(null), usd: z.number().nullable().default(null) }).prefault({});
const globalBudget = z
  .strictObject({
    tokens: z.number().nullable().default(null),
    usd: z.number().nullable().default(null),
    period: z.enum(["day", "week", "month", "ever"]).default("month"),
  })
  .prefault({});

const breaker = z
  .strictObject({
    consecutive_failures: z.int().positive().default(5),
    failure_rate_threshold: z.number().min(0).max(1).default(0.5),
    rate_window_size: z.int().positive().default(20),
    cooldown_duration: units.duration("30s"),
    success_threshold: z.int().positive().default(3),
    probe_timeout: units.duration("60s"),
  })
  .transform((b) => ({
    consecutiveFailures: b.consecutive_failures,
    failureRateThreshold: b.failure_rate_threshold,
    rateWindowSize: b.rate_window_size,
    cooldownMs: b.cooldown_duration,
    successThreshold: b.success_threshold,
    probeTimeoutMs: b.probe_timeout,
  }))
  .prefault({});

const bytes = (megabytes: number) =>
  z
    .int()
    .positive()
    .default(megabytes * 1024 * 1024);

const streamLimits = z
  .strictObject({
    buffer_parts: z.int().positive().default(100),
    idle_timeout: units.duration("60s"),
    broken_stream_retries: z.int().nonnegative().default(2),
    max_answer_bytes: bytes(8).describe("most that one answer may hold: text, reasoning and arguments"),
    max_argument_bytes: bytes(2).describe("most that the arguments of one tool call may hold"),
    max_tool_calls: z.int().positive().default(64).describe("most tool calls of one answer"),
    max_response_bytes: bytes(64).describe("most that is read of one response, as it comes over the wire"),
  })
  .transform((s) => ({
    bufferParts: s.buffer_parts,
    idleTimeoutMs: s.idle_timeout,
    brokenStreamRetries: s.broken_stream_retries,
    maxAnswerBytes: s.max_answer_bytes,
    maxArgumentBytes: s.max_argument_bytes,
    maxToolCalls: s.max_tool_calls,
    maxResponseBytes: s.max_response_bytes,
  }))
  .prefault({});

const retries = z
  .strictObject({
    transient: retry(5, "100ms", "5s"),
    external_rate_limit: retry(10, "1s", "60s"),
    external_degrading: retry(3, "5s", "30s"),
    /** A pause longer than this sends the request along the fallback chain. */
    fallback_after_wait: units.duration("30s"),
    trouble: z
      .strictObject({
        frequency_count: z.int().positive().default(3),
        frequency_window: units.duration("10s"),
        notification_cooldown: units.duration("60s"),
      })
      .transform((t) => ({
        frequencyCount: t.frequency_count,
        frequencyWindowMs: t.frequency_window,
        notificationCooldownMs: t.notification_cooldown,
      }))
      .prefault({}),
  })
  .transform(({ fallback_after_wait, ...rest }) => ({ ...rest, fallbackAfterWaitMs: fallback_after_wait }))
  .prefault({});

const chain = z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]);

export const modelConfigSchema = z
  .strictObject({
    /** Used when a request names no model of its own: an id, an alias or a tier. */
    default_model: z.string().nullable().default(null),
    /** `builtin/lexical` needs nothing; or provider/model. */
    embedding_model: z.string().default("builtin/lexical"),
    /** Append every answered call to this cassette. */
    record: z.string().nullable().default(null),
    timeout: units.duration("10m").describe("longest wait for the first part of an answer"),
    max_duration: units.duration("20m").describe("longest time one call may take"),
    step_timeout: units.duration("20m").describe("longest wait for the answer of one step, over all attempts"),
    default_provider: z.string().default("anthropic").describe("whose models come first where several are set up"),
    /** Tier to model, with its fallbacks in order. */
    tiers: z.record(z.string(), chain).default({}),
    /** What to try when a model that was named directly cannot answer. */
    fallbacks: z.record(z.string(), chain).default({}),
    providers: z.record(providerName, provider).default({}),
    catalogue: z.record(z.string(), modelInfoSchema).default({}),
    budgets: z
      .strictObject({
        global: globalBudget,
        day: budget,
        project: budget,
        session: budget,
        task: budget,
        agent: budget,
        warn_at: z.number().min(0).max(1).default(0.8),
      })
      .transform(({ warn_at: warnAt, ...levels }) => ({ ...levels, warnAt }))
      .prefault({}),
    retry: retries,
    breaker,
    stream: streamLimits,
    queue: z
      .strictObject({
        per_session_max_concurrent: z.int().positive().default(10),
        reserved_for_users: z.int().nonnegative().default(1),
        user_preemption: z.boolean().default(true),
        max_preemptions: z.int().nonnegative().default(2),
        aged_after: units.duration("30s"),
        starving_after: units.duration("5m"),
        max_waiting: z.int().positive().default(10_000),
        max_wait: units.duration("1h"),
      })
      .transform((q) => ({
        perSessionMax: q.per_session_max_concurrent,
        reservedForUsers: q.reserved_for_users,
        preemption: q.user_preemption,
        maxPreemptions: q.max_preemptions,
        agedMs: q.aged_after,
        starvingMs: q.starving_after,
        maxWaiting: q.max_waiting,
        maxWaitMs: q.max_wait,
      }))
      .prefault({}),
  })
  .transform((c) => ({
    defaultModel: c.default_model,
    embeddingModel: c.embedding_model,
    record: c.record,
    maxDurationMs: c.max_duration,
    stepTimeoutMs: c.step_timeout,
    defaultProvider: c.default_provider,
    tiers: c.tiers,
    fallbacks: c.fallbacks,
    providers: c.providers,
    catalogue: c.catalogue,
    budgets: c.budgets,
    retry: c.retry,
    breaker: c.breaker,
    stream: { ...c.stream, firstPartTimeoutMs: c.timeout },
    queue: c.queue,
  }));

export type ModelConfig = z.output<typeof modelConfigSchema>;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];
export type ProviderConfig = Omit<ModelConfig["providers"][string], "kind">;
export type RetryPolicy = ModelConfig["retry"]["transient"];
export type Subscription = z.output<typeof subscriptionSchema>;
