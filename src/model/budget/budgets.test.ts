import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { ModelConfigInput } from "../../../test/support/model-gate.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { type Store, sqliteDriver } from "../../journal/index.ts";
import { SylkError, systemClock } from "../../kernel/index.ts";
import { modelConfigSchema, subscriptionSchema } from "../config.ts";
import type { CallFacts } from "../types.ts";
import { machineModelViews } from "../views.ts";
import { Budgets, type BudgetsOptions, type Reservation } from "./budgets.ts";
import { periodAt } from "./periods.ts";

const facts: CallFacts = { role: "engineer", session: "s1", task: "t1", step: 1, phase: "p", purpose: "x", priority: 60, lane: "pipeline" };

async function machine(): Promise<Store> {
  const store = await sqliteDriver.open({
    path: path.join(tempDir(), "machine.db"),
    clock: systemClock,
    durability: "process",
    views: machineModelViews,
  });
  onTestFinished(() => store.close());
  return store;
}

function budgets(budgetConfig: ModelConfigInput["budgets"], overrides: Partial<BudgetsOptions> = {}): Budgets {
  return new Budgets({
    config: modelConfigSchema.parse({ budgets: budgetConfig }),
    clock: new ManualClock(),
    project: "p1",
    store: undefined,
    subscriptionOf: () => null,
    onWarning: () => undefined,
    ...overrides,
  });
}

async function reserve(from: Budgets, tokens: number, usd = 0, who: CallFacts = facts): Promise<Reservation> {
  const got = await from.reserve(who, "p", { tokens, usd });
  if (got instanceof SylkError) throw got;
  return got;
}

test("LLM-090 LLM-095: without limits, or with zero and below, nothing is counted", async () => {
  expect(budgets({ global: { tokens: 0, usd: -1 }, session: { tokens: null } }).isFree(facts, "p")).toBe(true);
});

test.each([
  ["global", { global: { tokens: 100 } }],
  ["session", { session: { tokens: 100 } }],
  ["task", { task: { tokens: 100 } }],
  ["agent", { agent: { tokens: 100 } }],
] as const)("LLM-091 MUL-009: the %s budget refuses what would pass it and takes back what was not used", async (level, config) => {
  const book = budgets(config);
  const first = await reserve(book, 60);
  expect(await book.reserve(facts, "p", { tokens: 41, usd: 0 })).toMatchObject({
    code: `MODEL_${level.toUpperCase()}_BUDGET`,
    tier: "user_fixable",
    details: { limit: 100 },
  });
  await first.settle({ tokens: 10, usd: 0 });
  const second = await reserve(book, 90);
  await second.settle({ tokens: 90, usd: 0 });
  expect(await book.reserve(facts, "p", { tokens: 1, usd: 0 })).toBeInstanceOf(SylkError);
});

test("LLM-091: a refusal at one level leaves the others untouched", async () => {
  const store = await machine();
  const { counters } = store;
  const book = budgets({ session: { tokens: 1000 }, task: { tokens: 50 } }, { store });
  expect(await book.reserve(facts, "p", { tokens: 60, usd: 0 })).toMatchObject({ code: "MODEL_TASK_BUDGET" });
  await book.close();
  expect(await counters.value("budget/session/s1/tokens")).toBe(0);
  expect(await counters.value("budget/task/t1/tokens")).toBe(0);
});

test("money is counted like tokens, to the micro-dollar", async () => {
  const book = budgets({ session: { usd: 0.01 } });
  const first = await reserve(book, 0, 0.006);
  expect(await book.reserve(facts, "p", { tokens: 0, usd: 0.0041 })).toMatchObject({
    message: expect.stringContaining("$0.0000 of $0.0100 used, $0.0041 needed"),
  });
  await first.settle({ tokens: 0, usd: 0.006 });
  await (await reserve(book, 0, 0.004)).settle({ tokens: 0, usd: 0.004 });
});

test("LLM-051: a running call may ask for more until there is no more", async () => {
  const book = budgets({ task: { tokens: 100 } });
  const call = await reserve(book, 60);
  expect(await call.extend({ tokens: 30, usd: 0 })).toBeUndefined();
  expect(await call.extend({ tokens: 30, usd: 0 })).toMatchObject({ code: "MODEL_TASK_BUDGET" });
  await call.settle({ tokens: 90, usd: 0 });
  await (await reserve(book, 10)).settle({ tokens: 10, usd: 0 });
});

test("~MUL-007: warns once at 80 % of what is spent, whoever spends it", async () => {
  const store = await machine();
  const warnings: unknown[] = [];
  const shared = { store, onWarning: (warning: unknown) => warnings.push(warning) };
  const one = budgets({ session: { tokens: 1000 } }, shared);
  const two = budgets({ session: { tokens: 1000 } }, shared);
  await (await reserve(one, 500)).settle({ tokens: 500, usd: 0 });
  await (await reserve(one, 290)).settle({ tokens: 290, usd: 0 });
  expect(warnings).toEqual([]);
  await one.close();
  for (const book of [two, one, two]) await (await reserve(book, 20)).settle({ tokens: 20, usd: 0 });
  expect(warnings).toMatchObject([{ level: "session", unit: "tokens", limit: 1000 }]);
});

test("~LLM-012 ~LLM-086 ~LLM-087 ~MUL-004 ~MUL-005: a subscription's requests end with its period", async () => {
  const clock = new ManualClock(Date.parse("2026-11-13T12:00:00Z"));
  const warnings: unknown[] = [];
  const book = budgets(
    {},
    {
      clock,
      subscriptionOf: () => ({ maxRequests: 2, maxTokens: null, period: "week", warnAt: 0.8 }),
      onWarning: (one) => warnings.push(one),
    },
  );
  for (let i = 0; i < 2; i += 1) await (await reserve(book, 5)).settle({ tokens: 5, usd: 0 });
  expect(await book.reserve(facts, "p", { tokens: 5, usd: 0 })).toMatchObject({ code: "MODEL_PROVIDER_BUDGET" });
  expect(warnings).toMatchObject([{ level: "provider", unit: "requests", used: 2, limit: 2 }]);
  await clock.advance(3 * 86_400_000);
  await reserve(book, 5);
});

test("MUL-004: plans are read with their defaults; what is null or absent has no limit", async () => {
  const weekly = subscriptionSchema.parse({ period: "week", max_requests: 10_000, max_tokens: 50_000_000 });
  expect(weekly).toEqual({ period: "week", maxRequests: 10_000, maxTokens: 50_000_000, warnAt: 0.8 });
  const monthly = subscriptionSchema.parse({ period: "month", max_requests: null, max_tokens: 100, warn_threshold: 0.5 });
  expect(monthly).toEqual({ period: "month", maxRequests: null, maxTokens: 100, warnAt: 0.5 });
  expect(subscriptionSchema.safeParse({ period: "year" }).success).toBe(false);
  expect(budgets({}).isFree(facts, "p")).toBe(true);
  const warnings: unknown[] = [];
  const book = budgets({}, { subscriptionOf: () => monthly, onWarning: (one) => warnings.push(one) });
  for (let i = 0; i < 49; i += 1) await (await reserve(book, 1)).settle({ tokens: 1, usd: 0 });
  expect(warnings).toEqual([]);
  await (await reserve(book, 1)).settle({ tokens: 1, usd: 0 });
  expect(warnings).toMatchObject([{ level: "provider", unit: "tokens", used: 50, limit: 100 }]);
});

test("LLM-087 MUL-003: a subscription counts the requests and the tokens of every session and process together, per provider and period", async () => {
  const store = await machine();
  const clock = new ManualClock(Date.parse("2026-11-13T12:00:00Z"));
  const plan = { maxRequests: 5, maxTokens: 100, period: "week", warnAt: 1 } as const;
  const shared = { store, clock, subscriptionOf: (provider: string) => (provider === "p" ? plan : { ...plan, maxTokens: 1000 }) };
  const [one, two] = [budgets({}, shared), budgets({}, shared)];
  const other = { ...facts, session: "s2", task: "t2" };
  await (await reserve(one, 40)).settle({ tokens: 30, usd: 0 });
  await one.close();
  await (await reserve(two, 40, 0, other)).settle({ tokens: 40, usd: 0 });
  expect(await two.reserve(facts, "p", { tokens: 31, usd: 0 })).toMatchObject({ code: "MODEL_PROVIDER_BUDGET", details: { limit: 100 } });
  for (let i = 0; i < 3; i += 1) await (await reserve(two, 1, 0, i === 0 ? facts : other)).settle({ tokens: 1, usd: 0 });
  expect(await two.reserve(other, "p", { tokens: 1, usd: 0 })).toMatchObject({ code: "MODEL_PROVIDER_BUDGET", details: { limit: 5 } });
  expect(await two.reserve(other, "q", { tokens: 200, usd: 0 })).not.toBeInstanceOf(SylkError);
  await two.close();
  const count = (unit: string): Promise<number> => store.counters.value(`budget/provider/p/week-2026-11-09/${unit}`);
  expect([await count("requests"), await count("tokens")]).toEqual([5, 73]);
  await clock.advance(3 * 86_400_000);
  expect(await budgets({}, shared).reserve(facts, "p", { tokens: 100, usd: 0 })).not.toBeInstanceOf(SylkError);
});

test("periods are named by their first day, in UTC", () => {
  const at = Date.parse("2026-11-15T23:30:00Z");
  expect(periodAt("day", at)).toEqual({ name: "2026-11-15", endsAt: Date.parse("2026-11-16T00:00:00Z") });
  expect(periodAt("week", at)).toEqual({ name: "week-2026-11-09", endsAt: Date.parse("2026-11-16T00:00:00Z") });
  expect(periodAt("month", at)).toEqual({ name: "month-2026-11-01", endsAt: Date.parse("2026-12-01T00:00:00Z") });
});

test("~MUL-007: two processes never pass the limit together, and closing gives back what was held", async () => {
  const store = await machine();
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ who: fc.nat(1), estimate: fc.integer({ min: 1, max: 400 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
        { maxLength: 40 },
      ),
      fc.uuid(),
      async (calls, session) => {
        const shared = { store };
        const books = [budgets({ session: { tokens: 2000 } }, shared), budgets({ session: { tokens: 2000 } }, shared)];
        let spent = 0;
        await Promise.all(
          calls.map(async ({ who, estimate, share }) => {
            const got = await (books[who] as Budgets).reserve({ ...facts, session }, "p", { tokens: estimate, usd: 0 });
            if (got instanceof SylkError) return;
            const used = Math.floor(estimate * share);
            await got.settle({ tokens: used, usd: 0 });
            spent += used;
          }),
        );
        expect(spent).toBeLessThanOrEqual(2000);
        for (const book of books) await book.close();
        expect(await store.counters.value(`budget/session/${session}/tokens`)).toBe(spent);
      },
    ),
    { numRuns: 25 },
  );
});

test("LLM-091: what a call used beyond its promise is counted all the same", async () => {
  const store = await machine();
  const { counters } = store;
  const book = budgets({ session: { tokens: 100 } }, { store });
  await (await reserve(book, 90)).settle({ tokens: 120, usd: 0 });
  await book.close();
  expect(await counters.value("budget/session/s1/tokens")).toBe(120);
});
