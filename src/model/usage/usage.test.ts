import fc from "fast-check";
import { expect, test } from "vitest";
import { modelRequest, never, openTestGate, openTestStore } from "../../../test/support/model-gate.ts";
import { CHOICES } from "../../protocol/index.ts";
import { queryUsage } from "./query-usage.ts";
import { EVENTS, agentActor, type Payload } from "../../protocol/events/index.ts";

const PRICED = {
  catalogue: { "scripted/rules.yaml": { input_price: 2, output_price: 10, cache_read_price: 0.2, cache_write_price: 2.5 } },
};

test("LLM-021 ~LLM-022 ~LLM-072 LLM-092: every call leaves one record with tokens, price and who asked", async () => {
  const store = await openTestStore();
  const gate = openTestGate({
    rules: [{ answer: { text: "hi", usage: { input: 1000, output: 100, cache_read: 400, cache_write: 200 } } }],
    config: PRICED,
    options: { project: store },
  });
  const result = await gate.stream(modelRequest({ pipeline: "p1", agent: "engineer-2", inputTokens: 900 }), never).result();
  const expected = (400 * 2 + 400 * 0.2 + 200 * 2.5 + 100 * 10) / 1e6;
  expect(result.costUsd).toBeCloseTo(expected, 12);
  await gate.usageWritten();
  const [event] = await store.journal.read("usage/s1");
  expect(event?.payload).toMatchObject({
    call_id: result.callId,
    attempt: 1,
    session: "s1",
    task: "t1",
    pipeline: "p1",
    agent: "engineer-2",
    role: "engineer",
    provider: "scripted",
    model: "rules.yaml",
    outcome: "ok",
    input_tokens: 1000,
    output_tokens: 100,
    cache_read_tokens: 400,
    cache_write_tokens: 200,
    estimated: false,
    cost_nano_usd: Math.round(expected * 1e9),
    counted_input_tokens: 900,
  });
});

test("LLM-092: failed and stopped attempts are recorded too", async () => {
  const store = await openTestStore();
  const gate = openTestGate({
    rules: [{ attempts: [{ error: { status: 429, retry_after: 0 } }, { text: "half", cut: true }, { text: "whole" }] }],
    options: { project: store },
  });
  await gate.stream(modelRequest(), never).result();
  await gate.usageWritten();
  const records = (await store.journal.read("usage/s1")).map((event) => event.payload as unknown as Payload<"model.call_finished">);
  expect(records.map((record) => [record.attempt, record.outcome, record.error, record.estimated])).toEqual([
    [1, "failed", "MODEL_RATE_LIMITED", false],
    [2, "failed", "MODEL_STREAM_BROKEN", true],
    [3, "ok", null, true],
  ]);
  expect(records[1]?.output_tokens).toBeGreaterThan(0);
  expect((await queryUsage(store.journal, { by: "model" })).total).toMatchObject({ calls: 3, failures: 2, estimatedCalls: 2 });
});

test("LLM-093 ~LLM-100 ~LLM-101 ~LLM-102 LLM-103: every breakdown has its own rows and adds up to the total, and the total to the journal", async () => {
  const store = await openTestStore();
  const tokens = fc.integer({ min: 0, max: 100_000 });
  const record = fc.record({
    session: fc.constantFrom("a", "b/c", "%"),
    task: fc.constantFrom("t1", "t2"),
    role: fc.constantFrom("x", "y"),
    model: fc.constantFrom("m", "n/o"),
    input_tokens: tokens,
    output_tokens: tokens,
    cost_nano_usd: tokens,
  });
  const base = {
    call_id: "c",
    attempt: 1,
    run: null,
    pipeline: null,
    agent: "x",
    phase: "p",
    step: 1,
    purpose: "x",
    provider: "p",
    outcome: "ok" as const,
    error: null,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    estimated: false,
    cost_assumed: false,
    counted_input_tokens: null,
    latency_ms: 1,
    queued_ms: 0,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (records) => {
      for (const one of records)
        await store.journal.append(`usage/${one.session}`, "any", [
          EVENTS.usage.callFinished.create({ ...base, ...one }, { actor: agentActor("test") }),
        ]);
      const all = (await store.journal.readAll({ after: 0, limit: 100_000, filter: { types: [EVENTS.usage.callFinished.type] } })).map(
        (event) => event.payload as unknown as Payload<"model.call_finished">,
      );
      const sum = (pick: (one: Payload<"model.call_finished">) => number): number => all.reduce((total, one) => total + pick(one), 0);
      for (const by of CHOICES.usageDimension) {
        const report = await queryUsage(store.journal, { by });
        expect(report.total).toMatchObject({
          calls: all.length,
          inputTokens: sum((one) => one.input_tokens),
          outputTokens: sum((one) => one.output_tokens),
          costNanoUsd: sum((one) => one.cost_nano_usd),
        });
        expect(report.rows.reduce((total, row) => total + row.costNanoUsd, 0)).toBe(report.total.costNanoUsd);
        expect(report.rows.reduce((total, row) => total + row.calls, 0)).toBe(report.total.calls);
        if (by === "day") continue;
        const wanted = Map.groupBy(all, (one) => (by === "model" ? `${one.provider}/${one.model}` : (one[by] ?? "")));
        const counted = (row: Payload<"model.call_finished">[]) => [row.length, row.reduce((total, one) => total + one.output_tokens, 0)];
        expect(Object.fromEntries(report.rows.map((row) => [row.key, [row.calls, row.outputTokens]]))).toEqual(
          Object.fromEntries([...wanted].map(([key, row]) => [key, counted(row)])),
        );
      }
    }),
    { numRuns: 8 },
  );
  const more = { ...base, session: "b/c", task: "t1", role: "x", model: "n/o", input_tokens: 1, output_tokens: 1, cost_nano_usd: 1 };
  await store.journal.append("usage/b/c", "any", [EVENTS.usage.callFinished.create(more, { actor: agentActor("test") })]);
  const some = await queryUsage(store.journal, { by: "role", where: { session: "b/c", model: "p/n/o" } });
  const chosen = (await store.journal.read("usage/b/c")).map((event) => event.payload as unknown as Payload<"model.call_finished">);
  const roles = Map.groupBy(
    chosen.filter((one) => one.model === "n/o"),
    (one) => one.role,
  );
  expect(roles.size).toBeGreaterThan(0);
  expect(Object.fromEntries(some.rows.map((row) => [row.key, row.calls]))).toEqual(
    Object.fromEntries([...roles].map(([role, calls]) => [role, calls.length])),
  );
  expect((await queryUsage(store.journal, { by: "role", fromDay: "9999-12-31" })).total.calls).toBe(0);
});

test("the error of the tokenizer's estimate is part of the report", async () => {
  const store = await openTestStore();
  const gate = openTestGate({ rules: [{ answer: { text: "hi", usage: { input: 1000, output: 1 } } }], options: { project: store } });
  await gate.stream(modelRequest({ inputTokens: 900 }), never).result();
  await gate.usageWritten();
  expect((await queryUsage(store.journal, { by: "model" })).total.estimateErrorPercent).toBeCloseTo(-10);
});

test("~LLM-011 ~LLM-014 ~LLM-015 LLM-021: aliases, disabled providers, shipped and own prices, and stated defaults", async () => {
  const gate = openTestGate({
    config: {
      providers: {
        work: { kind: "anthropic", base_url: "https://proxy.example", models: { smart: "claude-opus-4-5" } },
        off: { kind: "openai", enabled: false },
      },
      catalogue: { "work/claude-opus-4-5": { input_price: 4 } },
      tiers: { deep: ["smart", "off/gpt-5"] },
    },
  });
  const listing = gate.list();
  expect(listing.providers.find((one) => one.name === "off")).toMatchObject({ status: { kind: "disabled" } });
  expect(listing.tiers.find((tier) => tier.name === "deep")).toEqual({ name: "deep", chain: ["smart", "off/gpt-5"], configured: true });
  expect(listing.models.find((model) => model.id === "work/claude-opus-4-5")).toMatchObject({
    inputPrice: 4,
    outputPrice: 25,
    assumed: false,
  });
  expect(await gate.stream(modelRequest({ model: "off/gpt-5" }), never).result()).toMatchObject({
    kind: "failed",
    error: { code: "MODEL_PROVIDER_DISABLED" },
  });
  expect(await gate.stream(modelRequest({ model: "fast" }), never).result()).toMatchObject({
    kind: "failed",
    error: { code: "MODEL_NONE_SET_UP", tier: "user_fixable", fix: expect.stringContaining("ANTHROPIC_API_KEY") },
  });
});

test("a tier that nobody serves is the user's own model, where one was chosen", async () => {
  const gate = openTestGate({ config: { default_model: "off/gpt-5", providers: { off: { kind: "openai", enabled: false } } } });
  for (const model of ["balanced", "off/gpt-5", ""])
    expect(await gate.stream(modelRequest({ model }), never).result()).toMatchObject({ error: { code: "MODEL_PROVIDER_DISABLED" } });
});
