/** What models cost and what keeps them from answering: `usage/<session>`, `model/signals`, `model/<register>/<key>`, holds. */
import { z } from "zod";
import type { Json } from "../../kernel/index.ts";
import { defineEvent } from "./define-event.ts";
import { DEFAULT_SESSION } from "./ids.ts";

const rateLimited = defineEvent({
  type: "model.rate_limited",
  version: 1,
  schema: z.object({ provider: z.string(), until: z.number(), attempt: z.int() }),
});
const rateLimitCleared = defineEvent({ type: "model.rate_limit_cleared", version: 1, schema: z.object({ provider: z.string() }) });
const circuitTripped = defineEvent({
  type: "model.circuit_tripped",
  version: 1,
  schema: z.object({ resource: z.string(), cooldown_ends: z.number().nullable() }),
});
const circuitRecovered = defineEvent({ type: "model.circuit_recovered", version: 1, schema: z.object({ resource: z.string() }) });
const budgetWarning = defineEvent({
  type: "model.budget_warning",
  version: 1,
  schema: z.object({
    level: z.string(),
    unit: z.enum(["tokens", "usd", "requests"]),
    key: z.string(),
    used: z.number(),
    limit: z.number(),
  }),
});
const queueStarving = defineEvent({
  type: "model.queue_starving",
  version: 1,
  schema: z.object({ provider: z.string(), waited_ms: z.number() }),
});
const transientTrouble = defineEvent({
  type: "model.transient_trouble",
  version: 1,
  schema: z.object({ provider: z.string(), count: z.int(), window_ms: z.number() }),
});

/** What a user should see as it happens. */
export const signalEvents = {
  rateLimited,
  rateLimitCleared,
  circuitTripped,
  circuitRecovered,
  budgetWarning,
  queueStarving,
  transientTrouble,
};

/** One record per provider call, also for failed, preempted and stopped ones (LLM-092). */
const usageRecordSchema = z.object({
  call_id: z.string(),
  attempt: z.int(),
  session: z.string(),
  task: z.string(),
  /** The durable run it belongs to, when that is not the task. */
  run: z.string().nullable(),
  pipeline: z.string().nullable(),
  agent: z.string(),
  role: z.string(),
  phase: z.string(),
  step: z.int(),
  purpose: z.string(),
  provider: z.string(),
  model: z.string(),
  outcome: z.enum(["ok", "failed", "preempted", "aborted", "budget"]),
  error: z.string().nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  reasoning_tokens: z.int(),
  /** The provider did not report; counted here. */
  estimated: z.boolean(),
  /** Whole billionths of a dollar, so that sums are exact. */
  cost_nano_usd: z.int(),
  /** The price is a stated default, not a known one. */
  cost_assumed: z.boolean(),
  /** What the tokenizer said about the input beforehand; null when nobody counted. */
  counted_input_tokens: z.int().nullable(),
  latency_ms: z.number(),
  queued_ms: z.number(),
});

/** Calls outside a task named themselves where the session belongs. */
const PURPOSES_AS_SESSIONS: readonly Json[] = ["knowledge", "models-test"];

const callFinished = defineEvent({
  type: "model.call_finished",
  version: 2,
  schema: usageRecordSchema,
  upcast: (old) => ({
    ...old,
    run: null,
    session: PURPOSES_AS_SESSIONS.includes(old["session"] ?? "") ? DEFAULT_SESSION : (old["session"] ?? ""),
  }),
});

export const usageEvents = { callFinished };

const holdSchema = z.object({
  /** The process, as the kernel names it. */
  holder: z.string(),
  key: z.string(),
  hold_key: z.string(),
});

const holdOpened = defineEvent({ type: "model.hold_opened", version: 1, schema: holdSchema });
const holdReclaimed = defineEvent({
  type: "model.hold_reclaimed",
  version: 1,
  schema: z.object({ hold_key: z.string(), amount: z.number() }),
});

export const holdEvents = { opened: holdOpened, reclaimed: holdReclaimed };

const breakerRecord = z.object({
  state: z.enum(["closed", "open", "half_open"]),
  /** Consecutive failures. */
  failures: z.int(),
  /** Consecutive successful probes. */
  successes: z.int(),
  /** Newest results, oldest first; true is success. */
  window: z.array(z.boolean()),
  last_failure: z.number().nullable(),
  last_state_change: z.number(),
  cooldown_ends: z.number().nullable(),
  probe_owner: z.string().nullable(),
  probe_started_at: z.number().nullable(),
});

const pauseSchema = z.object({
  /** Consecutive backoffs without a success in between. */
  attempt: z.int(),
  backoff_until: z.number(),
  reason: z.string(),
});

/** Small records that every process on the machine sees the same: the newest event of a stream. */
export const registerEvents = {
  breaker: defineEvent({ type: "model.breaker_changed", version: 1, schema: breakerRecord }),
  rateLimit: defineEvent({ type: "model.rate_limit_changed", version: 1, schema: pauseSchema }),
};
