import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { systemClock } from "../kernel/index.ts";
import { modelConfigSchema, openModelGate, type ModelConfigInput, type ModelGate, type ModelRequest, type StreamPart } from "./index.ts";

const never = new AbortController().signal;
const FAST_RETRY = { transient: { initial_delay: 0 }, external_rate_limit: { initial_delay: 0 }, external_degrading: { initial_delay: 0 } };

function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "scripted/rules.yaml",
    system: "You are careful.",
    user: "Say hello to Ada.",
    tools: [],
    maxOutputTokens: 100,
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

function gateWith(rules: unknown[], config: ModelConfigInput = {}): ModelGate {
  const cwd = mkdtempSync(path.join(tmpdir(), "sylk-gate-"));
  writeFileSync(path.join(cwd, "rules.yaml"), stringify({ rules }));
  const gate = openModelGate({
    config: modelConfigSchema.parse({ retry: FAST_RETRY, ...config }),
    env: {},
    clock: systemClock,
    cwd,
    redact: (text) => text,
    random: () => 0,
  });
  onTestFinished(async () => {
    await gate[Symbol.asyncDispose]();
    rmSync(cwd, { recursive: true });
  });
  return gate;
}

async function collect(stream: AsyncIterable<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

test("LLM-030 LLM-033: parts are numbered without gaps and end in exactly one terminal part", async () => {
  const gate = gateWith([
    { answer: { text: "Hello Ada. ".repeat(20), tool_calls: [{ name: "greet", input: { who: "Ada" } }], usage: { input: 12, output: 7 } } },
  ]);
  const stream = gate.stream(request(), never);
  const parts = await collect(stream);
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

test("ERR-017: a transient failure is repeated, and the reader learns that what came before is void", async () => {
  const gate = gateWith([{ attempts: [{ text: "half an ans", cut: true }, { text: "whole answer" }] }]);
  const stream = gate.stream(request(), never);
  const parts = await collect(stream);
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

test("ERR-020: a permanent failure is not repeated and the chain is not tried", async () => {
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
  const parts = await collect(stream);
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

test("LLM-055: a reader that leaves stops the call", async () => {
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
