/** Every provider package against the real wire formats: the same scenarios, the same endings. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/kernel/index.ts";
import {
  modelConfigSchema,
  openModelGate,
  type ModelGate,
  type ModelRequest,
  type ModelResult,
  type StreamPart,
} from "../../src/model/index.ts";
import { startWireServer, type WireServer } from "../support/wire-server/wire-server.ts";
import type { Protocol, WireAnswer } from "../support/wire-server/wire-types.ts";

const PROVIDERS: [name: string, kind: string, base: string, protocol: Protocol][] = [
  ["anthropic", "anthropic", "/v1", "anthropic"],
  ["openai", "openai", "/v1", "openai-responses"],
  ["openai-chat", "openai-chat", "/v1", "openai-chat"],
  ["google", "google", "/v1beta", "google"],
  ["compatible", "compatible", "/v1", "openai-chat"],
];

const never = new AbortController().signal;
const TEXT = "The quick brown fox jumps over the lazy dog.";
const SEARCH_TOOL = {
  name: "search",
  description: "Searches the code.",
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

let server: WireServer;
let gate: ModelGate;
/** For answers that never come: a busy machine would make others late. */
let impatient: ModelGate;

const openGate = (idle: string): ModelGate => {
  const config = modelConfigSchema.parse({
    providers: Object.fromEntries(PROVIDERS.map(([name, kind, base]) => [`p-${name}`, { kind, base_url: `${server.url}${base}` }])),
    retry: { transient: { max_attempts: 1 }, external_rate_limit: { max_attempts: 1 }, external_degrading: { max_attempts: 1 } },
    timeout: "5s",
    stream: { idle_timeout: idle, broken_stream_retries: 0 },
    breaker: { consecutive_failures: 1000, rate_window_size: 1000 },
  });
  return openModelGate({ config, env: {}, clock: systemClock, cwd: ".", redact: (text) => text.replaceAll("hunter2", "[REDACTED]") });
};

beforeAll(async () => {
  server = await startWireServer(() => ({ text: TEXT }));
  gate = openGate("2s");
  impatient = openGate("300ms");
});

afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await impatient[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

beforeEach(() => {
  server.requests.length = 0;
});

function request(provider: string, overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: `p-${provider}/model-1`,
    system: "You are careful.",
    user: "What does the fox do?",
    tools: [SEARCH_TOOL],
    maxOutputTokens: 50,
    role: "engineer",
    session: "s1",
    task: "t1",
    step: 1,
    phase: "implement",
    purpose: "step",
    priority: 60,
    lane: "pipeline",
    ...overrides,
  };
}

async function ask(
  provider: string,
  answer: WireAnswer,
  overrides: Partial<ModelRequest> = {},
): Promise<{ result: ModelResult; parts: StreamPart[] }> {
  server.respond = () => answer;
  const stream = (answer.fault?.kind === "stall" ? impatient : gate).stream(request(provider, overrides), never);
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return { result: await stream.result(), parts };
}

const joined = (parts: StreamPart[]): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

describe.each(PROVIDERS)("LLM-060 %s", (provider, _kind, _base, protocol) => {
  test("~LLM-020 LLM-046: text streams in pieces with usage", async () => {
    const { result, parts } = await ask(provider, { text: TEXT, usage: { input: 100, output: 20, cacheRead: 30 } });
    expect(joined(parts)).toBe(TEXT);
    expect(parts.filter((part) => part.type === "text").length).toBeGreaterThan(3);
    expect(result).toMatchObject({
      kind: "ok",
      text: TEXT,
      stopReason: "end_turn",
      attempts: 1,
      usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 30, estimated: false },
    });
    expect(server.requests[0]).toMatchObject({ protocol, model: "model-1" });
    expect(JSON.stringify(server.requests[0]?.body)).toContain("You are careful.");
    expect(JSON.stringify(server.requests[0]?.body)).toContain("Searches the code.");
  });

  test("LLM-031 LLM-032 LLM-057 LLM-058 LLM-059 LLM-066: two tool calls keep their own arguments and order", async () => {
    const { result, parts } = await ask(provider, {
      text: "Looking.",
      toolCalls: [
        { name: "search", input: { query: "fox" } },
        { name: "search", input: { query: "dog", deep: [1, 2] } },
      ],
    });
    expect(result).toMatchObject({
      kind: "ok",
      stopReason: "tool_use",
      toolCalls: [
        { name: "search", input: { query: "fox" } },
        { name: "search", input: { query: "dog", deep: [1, 2] } },
      ],
    });
    const order = parts.flatMap((part) =>
      part.type === "tool_start" ? [`start ${part.id}`] : part.type === "tool_end" ? [`end ${part.call.id}`] : [],
    );
    expect(order).toHaveLength(4);
    expect(new Set(order).size).toBe(4);
    expect(parts.flatMap((part) => (part.type === "tool_delta" ? [part.argumentsDelta] : [])).join("")).toBe(
      '{"query":"fox"}{"query":"dog","deep":[1,2]}',
    );
  });

  test("LLM-046: an answer cut by the output limit says so", async () => {
    expect((await ask(provider, { text: "half an", stop: "length" })).result).toMatchObject({
      kind: "ok",
      text: "half an",
      stopReason: "max_tokens",
    });
  });

  test("an end without usage is counted here and marked as an estimate", async () => {
    const { result } = await ask(provider, { text: TEXT, usage: null });
    expect(result).toMatchObject({ kind: "ok", usage: { estimated: true } });
    expect(result.usage.inputTokens).toBeGreaterThan(20);
    expect(result.usage.outputTokens).toBeGreaterThan(5);
  });

  test("a slow drip is not a stall", async () => {
    expect((await ask(provider, { text: TEXT, dripMs: 15 })).result).toMatchObject({ kind: "ok", text: TEXT });
  });

  const refusals: [label: string, answer: WireAnswer, code: string, tier: string, details: object][] = [
    ["401", { status: 401, message: "key hunter2 is wrong" }, "MODEL_AUTH", "user_fixable", { status: 401 }],
    [
      "429 with Retry-After",
      { status: 429, headers: { "retry-after": "0.05" } },
      "MODEL_RATE_LIMITED",
      "external_rate_limit",
      { status: 429, retryAfterMs: 50 },
    ],
    ["429 for an empty purse", { status: 429, message: "You exceeded your current quota" }, "MODEL_QUOTA", "user_fixable", {}],
    ["400 for too long a prompt", { status: 400, message: "prompt is too long: 300000 tokens" }, "MODEL_CONTEXT_TOO_LONG", "permanent", {}],
    ["500", { status: 500 }, "MODEL_UNAVAILABLE", "external_degrading", { status: 500 }],
    ["529", { status: 529, message: "Overloaded" }, "MODEL_UNAVAILABLE", "external_degrading", { status: 529 }],
  ];
  test.each(refusals)("~ERR-006 ERR-008: %s", async (_label, answer, code, tier, details) => {
    const { result } = await ask(provider, answer);
    expect(result).toMatchObject({ kind: "failed", error: { code, tier, details }, usage: { inputTokens: 0, outputTokens: 0 } });
    expect(result.kind === "failed" && result.error.message).not.toContain("hunter2");
  });

  const faults: [label: string, answer: WireAnswer, code: string][] = [
    ["a cut connection", { text: TEXT, fault: { kind: "cut", afterFrames: 5 } }, "MODEL_STREAM_BROKEN"],
    ["an early end", { text: TEXT, fault: { kind: "eof", afterFrames: 5 } }, "MODEL_STREAM_BROKEN"],
    ["garbage in the middle", { text: TEXT, fault: { kind: "garbage", afterFrames: 5 } }, "MODEL_STREAM_BROKEN"],
    ["an error event in the middle", { text: TEXT, fault: { kind: "error_event", afterFrames: 5 } }, "MODEL_UNAVAILABLE"],
    ["a stall", { text: TEXT, fault: { kind: "stall", afterFrames: 5 } }, "MODEL_STREAM_STALLED"],
  ];
  test.each(faults)("LLM-061 LLM-064: %s fails with the partial kept", async (_label, answer, code) => {
    const { result, parts } = await ask(provider, answer);
    expect(result).toMatchObject({ kind: "failed", error: { code }, usage: { estimated: true } });
    expect(result.kind === "failed" && result.partial.text).toBe(joined(parts));
    expect(TEXT.startsWith(joined(parts)) && joined(parts).length > 0).toBe(true);
    expect(parts.at(-1)?.type).toBe("error");
  });

  test.each([
    ["an empty message", {}, "MODEL_EMPTY_ANSWER"],
    ["an empty body", { fault: { kind: "empty_body" } }, "MODEL_STREAM_BROKEN"],
  ] as [string, WireAnswer, string][])("%s is a failure", async (_label, answer, code) => {
    expect((await ask(provider, answer)).result).toMatchObject({ kind: "failed", error: { code, tier: "transient" } });
  });

  test("~LLM-056 LLM-063: aborting closes the connection and keeps the partial", async () => {
    server.respond = () => ({ text: TEXT.repeat(50), dripMs: 5 });
    const before = server.abandoned;
    const controller = new AbortController();
    const stream = gate.stream(request(provider), controller.signal);
    let seen = "";
    for await (const part of stream) {
      if (part.type === "text") seen += part.text;
      if (seen.length > 20) controller.abort(new Error("stop"));
    }
    expect(await stream.result()).toMatchObject({ kind: "aborted", reason: "stop", partial: { text: seen } });
    await expect.poll(() => server.abandoned).toBe(before + 1);
  });
});

test("the stable prefix is marked for Anthropic, byte for byte, and cached tokens are counted", async () => {
  const user = "STABLE PART. changing part";
  const { result } = await ask(
    "anthropic",
    { text: "ok", usage: { input: 1000, output: 10, cacheRead: 700, cacheWrite: 200 } },
    { user, cachePrefix: { system: true, userChars: 13 } },
  );
  expect(server.requests[0]?.body).toMatchObject({
    system: [{ type: "text", text: "You are careful.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "STABLE PART. ", cache_control: { type: "ephemeral" } },
          { type: "text", text: "changing part" },
        ],
      },
    ],
  });
  expect(result.usage).toEqual({
    inputTokens: 1000,
    outputTokens: 10,
    cacheReadTokens: 700,
    cacheWriteTokens: 200,
    reasoningTokens: 0,
    estimated: false,
  });
});

test("LLM-062: a rate limit in the middle of a stream keeps the partial, pauses the provider and repeats the call", async () => {
  const config = modelConfigSchema.parse({
    providers: { a: { kind: "anthropic", base_url: `${server.url}/v1` } },
    retry: { external_rate_limit: { initial_delay: "50ms" } },
  });
  await using fresh = openModelGate({ config, env: {}, clock: systemClock, cwd: ".", redact: (text) => text });
  let asked = 0;
  server.respond = () =>
    (asked += 1) === 1 ? { text: TEXT, fault: { kind: "error_event", afterFrames: 5, rateLimit: true } } : { text: TEXT };
  const stream = fresh.stream(request("x", { model: "a/m" }), never);
  const seen: string[] = [];
  let pausedUntil = 0;
  for await (const part of stream) {
    seen.push(part.type === "restart" ? `${part.reason} ${part.error?.code}` : part.type);
    if (part.type === "restart") pausedUntil = fresh.queues()[0]?.pausedUntil ?? 0;
  }
  expect(seen).toContain("retry MODEL_RATE_LIMITED");
  expect(seen.indexOf("text")).toBeLessThan(seen.indexOf("retry MODEL_RATE_LIMITED"));
  expect(pausedUntil).toBeGreaterThan(0);
  expect(await stream.result()).toMatchObject({ kind: "ok", text: TEXT, attempts: 2 });
});

test("a server that is not there is degrading and says what to check", async () => {
  const closed = await startWireServer(() => ({}));
  await closed[Symbol.asyncDispose]();
  const config = modelConfigSchema.parse({
    providers: { gone: { kind: "compatible", base_url: `${closed.url}/v1` } },
    retry: { external_degrading: { max_attempts: 1 } },
  });
  await using lonely = openModelGate({ config, env: {}, clock: systemClock, cwd: ".", redact: (text) => text });
  expect(await lonely.stream(request("x", { model: "gone/m" }), never).result()).toMatchObject({
    kind: "failed",
    error: { code: "MODEL_UNREACHABLE", tier: "external_degrading", fix: expect.stringContaining("base URL") },
  });
});
