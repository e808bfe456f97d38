import { expect, test } from "vitest";
import { z } from "zod";
import {
  collectParts,
  modelRequest as request,
  never,
  openTestGate,
  openTestStore,
  type ModelConfigInput,
} from "../../test/support/model-gate.ts";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { startWireServer } from "../../test/support/wire-server/wire-server.ts";
import type { ModelGate, ModelRequest, ModelResult } from "./index.ts";

function gateWith(rules: unknown[], config: ModelConfigInput = {}): ModelGate {
  return openTestGate({ rules, config });
}

test("LLM-030 LLM-033: parts are numbered without gaps and end in exactly one terminal part", async () => {
  const gate = gateWith([
    { answer: { text: "Hello Ada. ".repeat(20), tool_calls: [{ name: "greet", input: { who: "Ada" } }], usage: { input: 12, output: 7 } } },
  ]);
  const stream = gate.stream(request(), never);
  const parts = await collectParts(stream);
  const result = await stream.result();
  expect(parts.map((part) => part.index)).toEqual(parts.map((_, index) => index));
  expect(parts[0]).toMatchObject({ type: "start", provider: "scripted", attempt: 1 });
  expect(parts.filter((part) => part.type === "end" || part.type === "error")).toHaveLength(1);
  expect(parts.at(-1)).toMatchObject({ type: "end", result });
  expect(result).toMatchObject({
    kind: "ok",
    text: "Hello Ada. ".repeat(20),
    stopReason: "tool_use",
    attempts: 1,
    toolCalls: [{ name: "greet", input: { who: "Ada" } }],
  });
  expect(result.usage).toEqual({
    inputTokens: 12,
    outputTokens: 7,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: false,
  });
});

test("LLM-042: the result comes without reading the stream", async () => {
  const gate = gateWith([{ answer: { text: "word ".repeat(10_000) } }]);
  const result = await gate.stream(request(), never).result();
  expect(result).toMatchObject({ kind: "ok", stopReason: "end_turn", usage: { estimated: true } });
});

test("~ERR-002 ERR-017 ~ERR-021: a transient failure is repeated, and the reader learns that what came before is void", async () => {
  const gate = gateWith([{ attempts: [{ text: "half an ans", cut: true }, { text: "whole answer" }] }]);
  const stream = gate.stream(request(), never);
  const parts = await collectParts(stream);
  expect(parts.map((part) => part.type)).toEqual(["start", "text", "restart", "start", "text", "usage", "end"]);
  expect(await stream.result()).toMatchObject({ kind: "ok", text: "whole answer", attempts: 2 });
});

test("LLM-061: a stream that keeps breaking is repeated at most twice and the partial is kept", async () => {
  const gate = gateWith([{ answer: { text: "half", cut: true } }]);
  const result = await gate.stream(request(), never).result();
  expect(result).toMatchObject({
    kind: "failed",
    attempts: 3,
    partial: { text: "half" },
    error: { code: "MODEL_STREAM_BROKEN", tier: "transient" },
  });
});

test("~ERR-003 ERR-020: a permanent failure is not repeated and the chain is not tried", async () => {
  const gate = gateWith([{ answer: { error: { status: 400, message: "bad" } } }], {
    tiers: { deep: ["scripted/rules.yaml", "scripted/other.yaml"] },
  });
  expect(await gate.stream(request({ model: "deep" }), never).result()).toMatchObject({
    kind: "failed",
    attempts: 1,
    error: { code: "MODEL_BAD_REQUEST", tier: "permanent" },
  });
});

test("the fallback chain answers when the first model cannot", async () => {
  const gate = gateWith([{ answer: { error: { status: 401, message: "no" } } }], {
    tiers: { deep: ["scripted/rules.yaml", "scripted/backup.yaml"] },
  });
  const stream = gate.stream(request({ model: "deep" }), never);
  const parts = await collectParts(stream);
  expect(parts.find((part) => part.type === "restart")).toMatchObject({ reason: "fallback", error: { code: "MODEL_AUTH" } });
  expect(await stream.result()).toMatchObject({ kind: "failed", error: { code: "MODEL_SCRIPT_UNREADABLE" } });
});

test("LLM-063: aborting ends the call at once with the partial", async () => {
  const gate = gateWith([{ answer: { text: "a".repeat(640), drip_ms: 5 } }]);
  const controller = new AbortController();
  const stream = gate.stream(request(), controller.signal);
  for await (const part of stream) if (part.type === "text") controller.abort(new Error("the user pressed escape"));
  const result = await stream.result();
  expect(result).toMatchObject({ kind: "aborted", reason: "the user pressed escape" });
  expect(result.kind === "aborted" && result.partial.text.length).toBeGreaterThan(0);
});

test("~LLM-055: a reader that leaves stops the call", async () => {
  const gate = gateWith([{ answer: { text: "a".repeat(6400), drip_ms: 1 } }]);
  const stream = gate.stream(request(), never);
  for await (const part of stream) if (part.type === "text") break;
  expect(await stream.result()).toMatchObject({ kind: "aborted" });
});

test("LLM-065: malformed tool arguments are an answer, not a failure", async () => {
  const gate = gateWith([{ answer: { raw_tool_calls: [{ name: "edit", arguments: '{"path": ' }] } }]);
  const result = await gate.stream(request(), never).result();
  expect(result).toMatchObject({
    kind: "ok",
    toolCalls: [{ name: "edit", input: undefined, invalid: expect.stringContaining("not JSON") }],
  });
});

test("structured output is validated and repaired once", async () => {
  const schema = z.object({ city: z.string(), people: z.int() });
  const gate = gateWith([
    { when: { text: "does not conform" }, answer: { text: 'Here:\n```json\n{"city": "Ulm", "people": 3}\n```' } },
    { answer: { text: '{"city": "Ulm", "people": "three"}' } },
  ]);
  expect(await gate.object(request(), schema, never)).toMatchObject({ kind: "ok", value: { city: "Ulm", people: 3 }, rounds: 2 });
  const stubborn = gateWith([{ answer: { text: "no" } }]);
  expect(await stubborn.object(request(), schema, never)).toMatchObject({ kind: "failed", error: { code: "MODEL_OBJECT_INVALID" } });
});

test("a model nobody knows fails with the names that would work", async () => {
  const gate = gateWith([{ answer: { text: "x" } }]);
  const result = await gate.stream(request({ model: "nonsense/x" }), never).result();
  expect(result).toMatchObject({
    kind: "failed",
    error: { code: "MODEL_UNKNOWN", tier: "user_fixable", fix: expect.stringContaining("anthropic") },
  });
  const keyless = await gate.stream(request({ model: "anthropic/claude" }), never).result();
  expect(keyless).toMatchObject({ kind: "failed", error: { code: "MODEL_NO_KEY", fix: "set ANTHROPIC_API_KEY" } });
});

test("the scripted provider answers by task and step, the same way every time", async () => {
  const rules = [
    { when: { task: "t1" }, answers: [{ text: "one" }, { text: "two {{step}}" }], repeat: "cycle" },
    { when: { role: "tester|inspector", step: "2-3", text: "name is (?<who>\\w+)" }, answer: { text: "hi {{who}}" } },
  ];
  const say = async (overrides: Partial<ModelRequest>): Promise<unknown> => {
    const result = await gateWith(rules).stream(request(overrides), never).result();
    return result.kind === "ok" ? result.text : result.kind === "failed" ? result.error.code : result.kind;
  };
  expect(await say({ step: 1 })).toBe("one");
  expect(await say({ step: 2 })).toBe("two 2");
  expect(await say({ step: 2 })).toBe("two 2");
  expect(await say({ step: 3 })).toBe("one");
  expect(await say({ task: "t2", role: "inspector", step: 3, user: "my name is Ada" })).toBe("hi Ada");
  expect(await say({ task: "t2", role: "inspector", step: 4, user: "my name is Ada" })).toBe("MODEL_SCRIPT_NO_RULE");
});

test("~LLM-002 LLM-091: a hopeless request is refused before it waits, and says what to raise", async () => {
  const gate = gateWith([{ answer: { text: "x" } }], { budgets: { task: { tokens: 50 } } });
  expect(await gate.stream(request({ maxOutputTokens: 100 }), never).result()).toMatchObject({
    kind: "budget",
    level: "task",
    attempts: 1,
    error: { code: "MODEL_TASK_BUDGET", fix: "raise llm.budgets.task.tokens" },
  });
});

test("LLM-051: a running answer is stopped when the budget is spent; the partial stays and is paid for", async () => {
  const store = await openTestStore();
  const gate = openTestGate({
    rules: [{ answer: { text: "word ".repeat(2000) } }],
    config: { budgets: { task: { tokens: 400 } } },
    options: { project: store },
  });
  const result = await gate.stream(request({ maxOutputTokens: 4000, inputTokens: 20, tokenEstimate: 100 }), never).result();
  expect(result).toMatchObject({ kind: "budget", level: "task", usage: { estimated: true } });
  expect(result.kind === "budget" && result.partial.text.length).toBeGreaterThan(500);
  expect(result.usage.inputTokens + result.usage.outputTokens).toBeLessThanOrEqual(400);
  await gate.usageWritten();
  expect((await store.journal.read("usage/s1"))[0]?.payload).toMatchObject({ outcome: "budget", error: "MODEL_TASK_BUDGET" });
});

test("~ERR-005 ~ERR-013 ~LLM-082 ~LLM-083: a rate limit pauses that provider only and the request is answered when it ends", async () => {
  const clock = new ManualClock();
  const store = await openTestStore();
  await using server = await startWireServer(({ n }) =>
    n === 1 ? { status: 429, headers: { "retry-after": "20" } } : { text: "at last" },
  );
  const gate = openTestGate({
    rules: [{ answer: { text: "meanwhile" } }],
    clock,
    config: { providers: { slow: { kind: "compatible", base_url: `${server.url}/v1` } } },
    options: { project: store },
  });
  const limited = gate.stream(request({ model: "slow/m" }), never);
  const first: string[] = [];
  for await (const part of limited) {
    first.push(part.type);
    if (part.type !== "restart") continue;
    expect(part).toMatchObject({ reason: "retry", waitMs: 20_000, error: { code: "MODEL_RATE_LIMITED" } });
    expect(await gate.stream(request(), never).result()).toMatchObject({ kind: "ok", text: "meanwhile" });
    expect(gate.queues().find((queue) => queue.provider === "slow")).toMatchObject({ pausedUntil: clock.now() + 20_000 });
    await expect.poll(() => gate.queues().find((queue) => queue.provider === "slow")?.waiting).toBe(1);
    await clock.advance(20_000);
  }
  expect(first).toEqual(["start", "restart", "start", "text", "usage", "end"]);
  expect(server.requests).toHaveLength(2);
  await gate[Symbol.asyncDispose]();
  const signals = await store.journal.read("model/signals");
  expect(signals.map((event) => event.type)).toEqual(["model.rate_limited", "model.rate_limit_cleared"]);
});

test("a pause longer than the fallback limit sends the request along the chain", async () => {
  await using limited = await startWireServer(() => ({ status: 429, headers: { "retry-after": "90" } }));
  await using healthy = await startWireServer(() => ({ text: "from the other" }));
  const gate = gateWith([], {
    providers: {
      limited: { kind: "compatible", base_url: `${limited.url}/v1` },
      healthy: { kind: "compatible", base_url: `${healthy.url}/v1` },
    },
    tiers: { deep: ["limited/m", "healthy/m"] },
  });
  expect(await gate.stream(request({ model: "deep" }), never).result()).toMatchObject({
    kind: "ok",
    provider: "healthy",
    text: "from the other",
    attempts: 2,
  });
});

test("~ERR-035 ~ERR-052 ~ERR-053: an open breaker sends the request to the fallback without asking the broken model", async () => {
  await using broken = await startWireServer(() => ({ status: 500 }));
  await using healthy = await startWireServer(() => ({ text: "fine" }));
  const store = await openTestStore();
  const gate = openTestGate({
    config: {
      providers: {
        broken: { kind: "compatible", base_url: `${broken.url}/v1` },
        healthy: { kind: "compatible", base_url: `${healthy.url}/v1` },
      },
      tiers: { balanced: ["broken/m", "healthy/m"] },
      breaker: { consecutive_failures: 3 },
    },
    options: { project: store },
  });
  const ask = (): Promise<ModelResult> => gate.stream(request({ model: "balanced" }), never).result();
  expect(await ask()).toMatchObject({ kind: "ok", provider: "healthy", attempts: 4 });
  expect(broken.requests).toHaveLength(3);
  expect(await gate.tripped()).toMatchObject([{ id: "llm:broken/m", state: "open" }]);
  expect(await ask()).toMatchObject({ kind: "ok", provider: "healthy", attempts: 2 });
  expect(broken.requests).toHaveLength(3);
  await gate.resetBreaker("llm:broken/m");
  expect(await ask()).toMatchObject({ kind: "ok", provider: "healthy" });
  expect(broken.requests.length).toBeGreaterThan(3);
  await gate[Symbol.asyncDispose]();
  expect((await store.journal.read("model/signals")).map((event) => event.type)).toEqual([
    "model.circuit_tripped",
    "model.circuit_recovered",
    "model.circuit_tripped",
  ]);
});

test("CCY-023 CCY-024: a user's request preempts a pipeline's call, which is made again and answers", async () => {
  const store = await openTestStore();
  let served = 0;
  await using server = await startWireServer(() => ((served += 1) === 1 ? { text: "slow ".repeat(400), dripMs: 20 } : { text: "answer" }));
  const gate = openTestGate({
    config: {
      providers: { one: { kind: "compatible", base_url: `${server.url}/v1`, max_concurrent_requests: 1 } },
      queue: { reserved_for_users: 0 },
    },
    options: { project: store },
  });
  const pipeline = gate.stream(request({ model: "one/m" }), never);
  const seen: string[] = [];
  let user: Promise<ModelResult> | undefined;
  for await (const part of pipeline) {
    seen.push(part.type === "restart" ? part.reason : part.type);
    if (part.type === "text") user ??= gate.stream(request({ model: "one/m", lane: "user", priority: 100, session: "u" }), never).result();
  }
  expect(await user).toMatchObject({ kind: "ok", text: "answer" });
  expect(await pipeline.result()).toMatchObject({ kind: "ok", text: "answer", attempts: 2 });
  expect(seen).toContain("preempted");
  await gate.usageWritten();
  expect((await store.journal.read("usage/s1")).map((event) => (event.payload as { outcome: string }).outcome)).toEqual([
    "preempted",
    "ok",
  ]);
});

test("the variables people already have are enough: OPENAI_BASE_URL and OPENAI_API_KEY", async () => {
  await using server = await startWireServer(() => ({ text: "hello" }));
  const gate = openTestGate({
    options: { env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "k-1", OLLAMA_HOST: server.url.slice("http://".length) } },
  });
  expect(await gate.stream(request({ model: "openai/local-model" }), never).result()).toMatchObject({
    kind: "ok",
    text: "hello",
    costUsd: 0,
  });
  expect(await gate.stream(request({ model: "ollama/llama" }), never).result()).toMatchObject({ kind: "ok", text: "hello" });
  expect(server.requests.map((one) => [one.path, one.model])).toEqual([
    ["/v1/chat/completions", "local-model"],
    ["/v1/chat/completions", "llama"],
  ]);
  expect(server.requests[0]?.headers["authorization"]).toBe("Bearer k-1");
});

test("base URLs work the way their makers write them, with or without the version", async () => {
  await using server = await startWireServer(() => ({ text: "hello" }));
  const gate = openTestGate({
    options: {
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: `${server.url}/`, GEMINI_API_KEY: "k" },
    },
  });
  for (const model of ["anthropic/a", "google/g"])
    expect(await gate.stream(request({ model }), never).result()).toMatchObject({ kind: "ok", text: "hello" });
  expect(server.requests.map((one) => one.path)).toEqual(["/v1/messages", "/v1beta/models/g:streamGenerateContent"]);
});

test("with both of Google's names set, GOOGLE_API_KEY is sent", async () => {
  await using server = await startWireServer(() => ({ text: "hello" }));
  const gate = openTestGate({
    options: { env: { GOOGLE_GEMINI_BASE_URL: server.url, GEMINI_API_KEY: "k-gemini", GOOGLE_API_KEY: "k-google" } },
  });
  expect(await gate.stream(request({ model: "google/g" }), never).result()).toMatchObject({ kind: "ok" });
  expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("k-google");
});

test("LLM-067: a reader that is slow is not a provider that stalls", async () => {
  const clock = new ManualClock();
  const gate = openTestGate({
    rules: [{ answer: { text: "x".repeat(64 * 20) } }],
    clock,
    config: { stream: { buffer_parts: 2, idle_timeout: "10s" } },
  });
  const stream = gate.stream(request(), never);
  const types: string[] = [];
  for await (const part of stream) {
    types.push(part.type);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(25_000);
  }
  expect(types.filter((type) => type === "text")).toHaveLength(20);
  expect(await stream.result()).toMatchObject({ kind: "ok", attempts: 1 });
});

test("LLM-064: a call that never answers is given up after its timeout, through every retry", async () => {
  const clock = new ManualClock();
  const gate = openTestGate({
    rules: [{ answer: { text: "x", delay_ms: 10_000_000 } }],
    clock,
    config: { timeout: "1000s", retry: { transient: { max_attempts: 1 } } },
  });
  const stream = gate.stream(request({ timeoutMs: 5000 }), never);
  await expect.poll(() => clock.sleeping).toBeGreaterThan(1);
  await clock.advance(5000);
  expect(await stream.result()).toMatchObject({ kind: "failed", error: { code: "MODEL_TIMEOUT" } });
});

test("closing the gate ends what is running and frees everything", async () => {
  const gate = openTestGate({ rules: [{ answer: { text: "x", delay_ms: 600_000 } }], config: { providers: {} } });
  const calls = Array.from({ length: 100 }, (_, i) => gate.stream(request({ session: `s${i}` }), never).result());
  await gate[Symbol.asyncDispose]();
  const kinds = (await Promise.all(calls)).map((result) => result.kind);
  expect(new Set(kinds)).toEqual(new Set(["aborted"]));
  expect(gate.queues().every((queue) => queue.running === 0 && queue.waiting === 0)).toBe(true);
});
