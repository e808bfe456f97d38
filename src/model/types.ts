/**
 * What callers say to the gate and what they get back. A call ends in exactly one `ModelResult`;
 * expected endings (refused, stopped, out of budget) are values, never exceptions.
 */
import type { Json, SylkError } from "../kernel/index.ts";

export type Lane = "user" | "pipeline";
/** LLM-070: user 100, planning 80, execution 60, validation 40, background 20. */
export type Priority = 100 | 80 | 60 | 40 | 20;

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
}

/** Shown with the first user message, by models that take pictures. */
export interface ModelPicture {
  mediaType: string;
  data: Uint8Array;
}

export interface ModelMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

/** Which leading bytes stay the same from call to call, so that a provider can reuse them. */
export interface CachePrefix {
  /** The system message (and the tools before it) is stable. */
  system: boolean;
  /** So many leading characters of the user message are stable too. */
  userChars?: number | undefined;
}

/** Who asks and why: attribution, scheduling and rule matching; never sent to a provider. */
export interface CallFacts {
  role: string;
  session: string;
  /** Most all calls of the session may cost together, where whoever began it said so. */
  sessionUsd?: number | undefined;
  task: string;
  /** The durable run it belongs to, when that is not the task. */
  run?: string | undefined;
  /** Name of the running agent when a role runs more than once; the role otherwise. */
  agent?: string | undefined;
  pipeline?: string | undefined;
  step: number;
  phase: string;
  purpose: string;
  priority: Priority;
  lane: Lane;
  /** Architect-assigned; higher runs first among pipeline requests. */
  pipelinePriority?: number | undefined;
}

export interface ModelRequest extends CallFacts {
  /** `provider/model`, a configured alias, or a tier (`fast`, `balanced`, `deep`). */
  model: string;
  system: string;
  user: string;
  /** The whole conversation after the system message, instead of `user`. Only repair rounds need it. */
  messages?: readonly ModelMessage[] | undefined;
  pictures?: readonly ModelPicture[] | undefined;
  tools: readonly ToolSpec[];
  maxOutputTokens: number;
  temperature?: number | undefined;
  /** Input as `countRequestTokens` counts it, when the caller has counted already. */
  inputTokens?: number | undefined;
  /** Input plus expected output, when the caller expects less than `maxOutputTokens`. */
  tokenEstimate?: number | undefined;
  cachePrefix?: CachePrefix | undefined;
  /** JSON Schema the answer must follow, where the provider can enforce it. */
  responseSchema?: Record<string, unknown> | undefined;
  /** The call is given up after this long, whatever it is doing. */
  timeoutMs?: number | undefined;
}

export interface Usage {
  /** All input, cached parts included. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Part of the output. */
  reasoningTokens: number;
  /** Counted here because the provider did not say. */
  estimated: boolean;
}

export type StopReason = "end_turn" | "max_tokens" | "tool_use" | "content_filter" | "cancelled" | "error";

export interface ToolCall {
  id: string;
  name: string;
  /** The arguments as the model wrote them. */
  raw: string;
  /** The parsed arguments; undefined when `invalid` says why they are not JSON. */
  input: Json | undefined;
  invalid?: string | undefined;
}

interface Placed {
  /** From 0, without gaps, over the whole stream. */
  index: number;
  at: number;
}

export type StreamPart = Placed &
  /** `of`: how many attempts a passing failure gets. */
  (
    | { type: "start"; provider: string; model: string; attempt: number; of: number }
    | { type: "text"; text: string }
    | { type: "reasoning"; text: string }
    | { type: "tool_start"; id: string; name: string }
    | { type: "tool_delta"; id: string; argumentsDelta: string }
    | { type: "tool_end"; call: ToolCall }
    /** Everything before this part is void: the call is made again. */
    | { type: "restart"; reason: "retry" | "preempted" | "fallback"; waitMs: number; error?: SylkError | undefined }
    | { type: "usage"; usage: Usage }
    | { type: "end"; result: ModelResult & { kind: "ok" } }
    | { type: "error"; result: Exclude<ModelResult, { kind: "ok" }> }
  );

export interface StreamMetrics {
  queuedMs: number;
  timeToFirstTokenMs: number | undefined;
  timeToFirstToolCallMs: number | undefined;
  totalMs: number;
  tokensPerSecond: number;
  parts: number;
  backpressureEvents: number;
  /** On an early stop: an upper bound of the output not generated. */
  tokensSavedAtMost: number;
}

interface Spent {
  callId: string;
  provider: string;
  model: string;
  usage: Usage;
  /** US dollars, over all attempts. */
  costUsd: number;
  /** Some of it rests on stated default prices, because the model's own are unknown. */
  costAssumed: boolean;
  /** Provider calls made, retries and fallbacks included. */
  attempts: number;
  metrics: StreamMetrics;
}

export interface PartialAnswer {
  text: string;
  /** Closed tool calls only; an unfinished one must never run. */
  toolCalls: ToolCall[];
}

export type BudgetLevel = "global" | "day" | "project" | "session" | "task" | "agent" | "provider";

export type ModelResult = Spent &
  (
    | { kind: "ok"; text: string; reasoning: string; toolCalls: ToolCall[]; stopReason: StopReason }
    | { kind: "failed"; error: SylkError; partial: PartialAnswer }
    | { kind: "aborted"; reason: string; partial: PartialAnswer }
    | { kind: "budget"; error: SylkError; level: BudgetLevel; partial: PartialAnswer }
  );

export interface ModelStream extends AsyncIterable<StreamPart> {
  readonly callId: string;
  /** Never rejects. Asking for it without iterating drains the stream. */
  result(): Promise<ModelResult>;
}

export type ObjectResult<T> = { kind: "ok"; value: T; rounds: 1 | 2; result: ModelResult } | Exclude<ModelResult, { kind: "ok" }>;

/** Vectors in the order of the texts. */
export type EmbedResult = { kind: "ok"; model: string; dimensions: number; vectors: Float32Array[] } | Exclude<ModelResult, { kind: "ok" }>;
