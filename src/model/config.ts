/**
 * The `llm` section of the configuration: snake_case in files, camelCase in code; only this file
 * knows both. Every limit, price and time here is data with a stated default.
 */
import { z } from "zod";

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== text.trim()) return undefined;
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_MS[part[2] as string] as number), 0);
}

/** `"30s"`, `"1h30m"`, or a number of milliseconds. */
const duration = z.union([
  z.number().nonnegative(),
  z.string().transform((text, context) => {
    const ms = parseDuration(text);
    if (ms === undefined) context.addIssue(`"${text}" is not a duration; write for example "500ms", "30s" or "1h30m"`);
    return ms ?? 0;
  }),
]);

const retry = (attempts: number, initial: string, max: string) =>
  z
    .object({
      max_attempts: z.int().min(1).default(attempts),
      initial_delay: duration.prefault(initial),
      max_delay: duration.prefault(max),
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

const usageLimit = z
  .object({
    requests: z.int().positive().nullable().default(null),
    tokens: z.int().positive().nullable().default(null),
    period: z.union([z.enum(["day", "week", "month"]), duration]).default("week"),
    warn_at: z.number().min(0).max(1).default(0.8),
  })
  .transform((limit) => ({ requests: limit.requests, tokens: limit.tokens, period: limit.period, warnAt: limit.warn_at }));

export const PROVIDER_KINDS = ["anthropic", "openai", "openai-chat", "google", "compatible"] as const;

const provider = z
  .object({
    kind: z.enum(PROVIDER_KINDS),
    enabled: z.boolean().default(true),
    base_url: z.url().nullable().default(null),
    /** Name of the environment variable with the key; the key itself never stands in a file. */
    api_key_env: z.string().nullable().default(null),
    headers: z.record(z.string(), z.string()).default({}),
    /** Short names for this provider's models. */
    models: z.record(z.string(), z.string()).default({}),
    max_concurrent_requests: z.int().positive().default(8),
    /** Output the endpoint can bind to a JSON Schema. */
    structured_outputs: z.boolean().default(false),
    soft_limit: usageLimit.nullable().default(null),
  })
  .transform((p) => ({
    kind: p.kind,
    enabled: p.enabled,
    baseUrl: p.base_url,
    apiKeyEnv: p.api_key_env,
    headers: p.headers,
    models: p.models,
    maxConcurrentRequests: p.max_concurrent_requests,
    structuredOutputs: p.structured_outputs,
    softLimit: p.soft_limit,
  }));

const modelInfo = z
  .object({
    context_window: z.int().positive(),
    max_output: z.int().positive(),
    /** US dollars per million tokens. */
    input_price: z.number().nonnegative(),
    output_price: z.number().nonnegative(),
    cache_read_price: z.number().nonnegative(),
    cache_write_price: z.number().nonnegative(),
    tools: z.boolean(),
    structured: z.boolean(),
    reasoning: z.boolean(),
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
  }));

const budget = z.object({ tokens: z.number().nullable().default(null), usd: z.number().nullable().default(null) }).prefault({});

const breaker = z
  .object({
    consecutive_failures: z.int().positive().default(5),
    failure_rate_threshold: z.number().min(0).max(1).default(0.5),
    rate_window_size: z.int().positive().default(20),
    cooldown_duration: duration.prefault("30s"),
    success_threshold: z.int().positive().default(3),
    probe_timeout: duration.prefault("60s"),
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

const streamLimits = z
  .object({
    buffer_parts: z.int().positive().default(100),
    idle_timeout: duration.prefault("60s"),
    first_part_timeout: duration.prefault("180s"),
    broken_stream_retries: z.int().nonnegative().default(2),
  })
  .transform((s) => ({
    bufferParts: s.buffer_parts,
    idleTimeoutMs: s.idle_timeout,
    firstPartTimeoutMs: s.first_part_timeout,
    brokenStreamRetries: s.broken_stream_retries,
  }))
  .prefault({});

const retries = z
  .object({
    transient: retry(5, "100ms", "5s"),
    external_rate_limit: retry(10, "1s", "60s"),
    external_degrading: retry(3, "5s", "30s"),
  })
  .prefault({});

const chain = z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]);

export const modelConfigSchema = z
  .object({
    /** Used when a request names no model of its own: an id, an alias or a tier. */
    default_model: z.string().nullable().default(null),
    timeout: duration.prefault("10m"),
    /** Tier to model, with its fallbacks in order. */
    tiers: z.record(z.string(), chain).default({}),
    /** What to try when a model that was named directly cannot answer. */
    fallbacks: z.record(z.string(), chain).default({}),
    providers: z.record(z.string(), provider).default({}),
    catalogue: z.record(z.string(), modelInfo).default({}),
    budgets: z.object({ global: budget, session: budget, task: budget, agent: budget }).prefault({}),
    retry: retries,
    breaker,
    stream: streamLimits,
    per_session_max_concurrent: z.int().positive().default(10),
    user_preemption: z.boolean().default(true),
  })
  .transform((c) => ({
    defaultModel: c.default_model,
    timeoutMs: c.timeout,
    tiers: c.tiers,
    fallbacks: c.fallbacks,
    providers: c.providers,
    catalogue: c.catalogue,
    budgets: c.budgets,
    retry: c.retry,
    breaker: c.breaker,
    stream: c.stream,
    perSessionMaxConcurrent: c.per_session_max_concurrent,
    userPreemption: c.user_preemption,
  }));

export type ModelConfig = z.output<typeof modelConfigSchema>;
export type ModelConfigInput = z.input<typeof modelConfigSchema>;
export type ProviderConfig = ModelConfig["providers"][string];
export type RetryPolicy = ModelConfig["retry"]["transient"];
