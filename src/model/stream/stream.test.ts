import { expect, test } from "vitest";
import { SylkError } from "../../kernel/index.ts";
import { modelRequest, never, openTestGate } from "../../../test/support/model-gate.ts";
import type { ProviderPart } from "../providers/types.ts";
import { requestPriority } from "../queue/request-priority.ts";
import { Accumulator } from "./accumulator.ts";
import { PartChannel } from "./part-channel.ts";
import { shippedRole } from "../../../test/support/shipped-roles.ts";

const FINISH: ProviderPart = { type: "finish", stopReason: "tool_use", usage: undefined };

function fed(...parts: ProviderPart[]): { taken: boolean[]; accumulator: Accumulator } {
  const accumulator = new Accumulator();
  return { taken: parts.map((part, i) => accumulator.add(part, 1000 + i)), accumulator };
}

test("LLM-034 LLM-035: parts that do not fit the state are dropped, and nothing follows the end", () => {
  const { taken, accumulator } = fed(
    { type: "tool_delta", id: "ghost", argumentsDelta: "{}" },
    { type: "tool_end", id: "ghost", name: "x", raw: "{}" },
    { type: "tool_start", id: "a", name: "edit" },
    { type: "tool_start", id: "a", name: "edit" },
    { type: "text", text: "hi" },
    FINISH,
    { type: "text", text: "late" },
    FINISH,
  );
  expect(taken).toEqual([false, false, true, false, true, true, false, false]);
  expect(accumulator).toMatchObject({ text: "hi", dropped: 5 });
});

test("LLM-041 LLM-042 LLM-066: interleaved tool calls are kept apart and listed in the order they began", () => {
  const { accumulator } = fed(
    { type: "tool_start", id: "b", name: "second" },
    { type: "tool_start", id: "a", name: "first" },
    { type: "tool_delta", id: "a", argumentsDelta: '{"x":' },
    { type: "tool_delta", id: "b", argumentsDelta: '{"y":2}' },
    { type: "tool_delta", id: "a", argumentsDelta: "1}" },
    { type: "tool_end", id: "a", name: "first", raw: "" },
    { type: "tool_end", id: "b", name: "second", raw: '{"y":2}' },
    FINISH,
  );
  expect(accumulator.toolCalls).toEqual([
    { id: "b", name: "second", raw: '{"y":2}', input: { y: 2 } },
    { id: "a", name: "first", raw: '{"x":1}', input: { x: 1 } },
  ]);
  expect(accumulator).toMatchObject({ firstToolAt: 1000, firstTextAt: undefined });
});

const LIMITS = { maxAnswerBytes: 100, maxArgumentBytes: 40, maxToolCalls: 2 };
const START: ProviderPart = { type: "tool_start", id: "a", name: "edit" };

test.each<[string, ProviderPart[], string | undefined]>([
  ["bytes, not characters, count", [{ type: "text", text: "日".repeat(34) }], "answer"],
  ["as many bytes as allowed", [{ type: "text", text: "日".repeat(33) }], undefined],
  [
    "reasoning counts with the text",
    [
      { type: "reasoning", text: "x".repeat(60) },
      { type: "text", text: "x".repeat(60) },
    ],
    "answer",
  ],
  ["arguments that come all at once", [START, { type: "tool_end", id: "a", name: "edit", raw: `"${"x".repeat(40)}"` }], "arguments"],
  ["as many bytes of arguments as allowed", [START, { type: "tool_end", id: "a", name: "edit", raw: `"${"x".repeat(38)}"` }], undefined],
  [
    "arguments in pieces",
    [START, ...["x", "y"].map((c): ProviderPart => ({ type: "tool_delta", id: "a", argumentsDelta: c.repeat(30) }))],
    "arguments",
  ],
  ["one call too many", ["a", "b", "c"].map((id): ProviderPart => ({ type: "tool_start", id, name: "edit" })), "calls"],
])("M8: an answer is measured where it grows: %s", (_what, parts, expected) => {
  const accumulator = new Accumulator(LIMITS);
  const cutAt = parts
    .map((part): unknown => {
      try {
        return accumulator.add(part, 0) ? undefined : "dropped";
      } catch (error) {
        return SylkError.is(error, "MODEL_ANSWER_TOO_LARGE") ? error.details?.["what"] : error;
      }
    })
    .find((what) => what !== undefined);
  expect(cutAt).toBe(expected);
});

test("LLM-043: a partial answer never holds an unfinished tool call", () => {
  const { accumulator } = fed(
    { type: "text", text: "I will " },
    { type: "tool_start", id: "a", name: "rm" },
    { type: "tool_delta", id: "a", argumentsDelta: '{"path":"/' },
  );
  expect(accumulator.partial).toEqual({ text: "I will ", toolCalls: [] });
  expect(accumulator.openCalls).toBe(1);
});

test("LLM-044 LLM-067: a full buffer holds the producer, an abort frees it", async () => {
  const channel = new PartChannel<number>(2, () => undefined);
  const stop = new AbortController();
  expect(channel.push(1, stop.signal)).toBeUndefined();
  const waiting = channel.push(2, stop.signal);
  expect(waiting).toBeInstanceOf(Promise);
  const reader = channel[Symbol.asyncIterator]();
  expect(await reader.next()).toEqual({ done: false, value: 1 });
  await waiting;
  const again = channel.push(3, stop.signal);
  stop.abort();
  await again;
  expect(channel.backpressureEvents).toBe(2);
  channel.close();
  expect([await reader.next(), await reader.next(), await reader.next()]).toMatchObject([{ value: 2 }, { value: 3 }, { done: true }]);
});

test("~LLM-038 LLM-045 ~LLM-050: watchers see every part they asked for while the caller misses none", async () => {
  const gate = openTestGate({ rules: [{ answer: { text: "word ".repeat(100), tool_calls: [{ name: "x", input: {} }] } }] });
  const done = new AbortController();
  const seen: Record<string, string[]> = { all: [], mine: [] };
  const look = async (name: string, session?: string): Promise<void> => {
    for await (const { part, session: of } of gate.watch({ session }, done.signal)) {
      seen[name]?.push(`${of} ${part.type}`);
      if (part.type === "end" && of === "s2") done.abort();
    }
  };
  const watching = [look("all"), look("mine", "s1")];
  const types = async (session: string): Promise<string[]> => {
    const parts: string[] = [];
    for await (const part of gate.stream(modelRequest({ session }), never)) parts.push(part.type);
    return parts;
  };
  const first = await types("s1");
  await types("s2");
  await Promise.all(watching);
  expect(first.filter((type) => type === "text")).toHaveLength(8);
  expect(seen["mine"]?.every((line) => line.startsWith("s1 "))).toBe(true);
  expect(seen["mine"]?.filter((line) => !line.endsWith(" text"))).toEqual(
    first.filter((type) => type !== "text").map((type) => `s1 ${type}`),
  );
  expect(seen["all"]?.filter((line) => line.endsWith(" end"))).toEqual(["s1 end", "s2 end"]);
});

test("LLM-040: a watcher that falls behind gets joined text and is told what it lost, and the call does not wait", async () => {
  const gate = openTestGate({
    rules: [{ answer: { text: "x".repeat(64 * 50), tool_calls: Array.from({ length: 200 }, () => ({ name: "t", input: {} })) } }],
    config: { stream: { max_tool_calls: 200 } },
  });
  const done = new AbortController();
  const watched = gate.watch({}, done.signal)[Symbol.asyncIterator]();
  expect(await gate.stream(modelRequest(), never).result()).toMatchObject({ kind: "ok" });
  const first = (await watched.next()).value as { missed: number };
  expect(first.missed).toBeGreaterThan(300);
  done.abort();
});

test("LLM-039: a call can be stopped from outside by its id", async () => {
  const gate = openTestGate({ rules: [{ answer: { text: "x", delay_ms: 600_000 } }] });
  const stream = gate.stream(modelRequest(), never);
  expect(gate.cancel("call_unknown", "no")).toBe(false);
  expect(gate.cancel(stream.callId, "the plan changed")).toBe(true);
  expect(await stream.result()).toMatchObject({ kind: "aborted", reason: "the plan changed" });
});

test("~LLM-023 LLM-068: the result carries latency, first word, rate and what an early stop saved", async () => {
  const gate = openTestGate({
    rules: [{ when: { step: 1 }, answer: { text: "hello", usage: { input: 5, output: 10 } } }, { answer: { text: "half", cut: true } }],
  });
  const ok = await gate.stream(modelRequest(), never).result();
  expect(ok.metrics).toMatchObject({ parts: 2, tokensSavedAtMost: 0, backpressureEvents: 0 });
  expect(ok.metrics.timeToFirstTokenMs).toBeGreaterThanOrEqual(0);
  expect(ok.metrics.tokensPerSecond).toBeGreaterThan(0);
  const broken = await gate.stream(modelRequest({ step: 2 }), never).result();
  expect(broken.metrics.tokensSavedAtMost).toBeGreaterThan(50);
});

test("LLM-070 LLM-071: priority follows who asked, then the role", () => {
  expect(
    ["architect", "engineer", "designer", "inspector", "tester", "archivalist", "librarian", "guide", "academic"].map((role) =>
      requestPriority(shippedRole(role), "agent"),
    ),
  ).toEqual([80, 60, 60, 40, 40, 20, 20, 60, 60]);
  expect(requestPriority(shippedRole("librarian"), "user")).toBe(100);
});
