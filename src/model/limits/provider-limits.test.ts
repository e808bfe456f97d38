import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { type Journal, sqliteDriver } from "../../journal/index.ts";
import { systemClock } from "../../kernel/index.ts";
import { modelConfigSchema } from "../config.ts";
import { machineModelViews } from "../views.ts";
import { ProviderLimits } from "./provider-limits.ts";
import { readRateHeaders } from "./rate-headers.ts";

const policy = modelConfigSchema.parse({ retry: { external_rate_limit: { jitter: 0, max_delay: "5m" } } }).retry.external_rate_limit;

function limits(clock: ManualClock, journal?: Journal, log: string[] = []): ProviderLimits {
  return new ProviderLimits({
    provider: "p",
    clock,
    journal,
    policy,
    random: () => 0,
    onPause: (_, until, attempt) => log.push(`#${attempt} ${until - clock.now()}`),
    onResume: () => log.push("resumed"),
  });
}

test("~LLM-080 ~LLM-081 ~LLM-082 LLM-085 ~LLM-089: refusals back off 1, 2, 4 … s up to 5 min; a success starts over", async () => {
  const clock = new ManualClock();
  const log: string[] = [];
  const one = limits(clock, undefined, log);
  for (let i = 0; i < 11; i += 1) {
    await one.refused(undefined, clock.now());
    await clock.advance(one.pausedUntil - clock.now());
  }
  expect(log.map((line) => Number(line.split(" ")[1]))).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((s) => s * 1000));
  await one.succeeded();
  await one.refused(undefined, clock.now());
  expect(log.at(-1)).toBe("#1 1000");
  expect(one.gap(1)).toEqual({ kind: "wait", untilMs: clock.now() + 1000 });
});

test("~LLM-082: several refusals of calls already under way count once, and the longest wish is granted", async () => {
  const clock = new ManualClock();
  const log: string[] = [];
  const one = limits(clock, undefined, log);
  const begun = clock.now();
  await one.refused(undefined, begun);
  await one.refused(undefined, begun);
  expect(one.pausedUntil - clock.now()).toBe(1000);
  await one.refused(20_000, begun);
  expect(one.pausedUntil - clock.now()).toBe(20_000);
  await clock.advance(20_000);
  await one.refused(undefined, begun);
  expect(one.gap(1)).toEqual({ kind: "go" });
  expect(log).toEqual(["#1 1000", "#1 20000"]);
});

test("MUL-008: a pause set by one process holds the others, and only that provider", async () => {
  const store = await sqliteDriver.open({
    path: path.join(tempDir(), "machine.db"),
    clock: systemClock,
    durability: "process",
    views: machineModelViews,
  });
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const one = limits(clock, store.journal);
  const two = limits(clock, store.journal);
  await two.refresh();
  await one.refused(60_000, clock.now());
  await clock.advance(1000);
  await two.refresh();
  expect(two.gap(1)).toEqual({ kind: "wait", untilMs: one.pausedUntil });
  const other = new ProviderLimits({
    provider: "other",
    clock,
    journal: store.journal,
    policy,
    random: () => 0,
    onPause: () => undefined,
    onResume: () => undefined,
  });
  await other.refresh();
  expect(other.gap(1)).toEqual({ kind: "go" });
});

test("tokens per minute: what does not fit into the rest of the window waits for the next one", async () => {
  const clock = new ManualClock();
  const one = limits(clock);
  one.headers({ "x-ratelimit-remaining-tokens": "1000", "x-ratelimit-reset-tokens": "6s" });
  expect(one.gap(800)).toEqual({ kind: "go" });
  one.started(800);
  expect(one.gap(800)).toEqual({ kind: "wait", untilMs: clock.now() + 6000 });
  expect(one.gap(100)).toEqual({ kind: "go" });
  await clock.advance(6000);
  expect(one.gap(1_000_000)).toEqual({ kind: "go" });
});

test("rate headers are read in the forms providers use", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(
    readRateHeaders(
      {
        "anthropic-ratelimit-tokens-remaining": "39000",
        "anthropic-ratelimit-tokens-reset": "2026-01-01T00:00:30Z",
        "anthropic-ratelimit-requests-remaining": "3",
        "anthropic-ratelimit-requests-reset": "2026-01-01T00:01:00Z",
      },
      now,
    ),
  ).toEqual({
    tokens: { remaining: 39_000, resetAt: now + 30_000 },
    requests: { remaining: 3, resetAt: now + 60_000 },
  });
  expect(
    readRateHeaders(
      {
        "x-ratelimit-remaining-tokens": "5",
        "x-ratelimit-reset-tokens": "1m30.5s",
        "x-ratelimit-remaining-requests": "1",
        "x-ratelimit-reset-requests": "120ms",
      },
      now,
    ),
  ).toEqual({
    tokens: { remaining: 5, resetAt: now + 90_500 },
    requests: { remaining: 1, resetAt: now + 120 },
  });
  expect(readRateHeaders({ "x-ratelimit-remaining-tokens": "many", "x-ratelimit-reset-tokens": "soon" }, now)).toEqual({
    tokens: undefined,
    requests: undefined,
  });
});
