import fc from "fast-check";
import { expect, test } from "vitest";
import { SylkError } from "../../kernel/index.ts";
import { modelConfigSchema } from "../config.ts";
import { ProviderHttpError } from "../providers/http-error.ts";
import { classifyModelError } from "./classify.ts";
import { decideRetry, delayMs } from "./retry-policy.ts";
import { TroubleTracker } from "./trouble-tracker.ts";

const context = {
  provider: "p",
  model: "m",
  nowMs: Date.parse("2026-01-01T00:00:00Z"),
  redact: (text: string) => text.replaceAll("sk-secret", "[REDACTED]"),
};
const http = (status: number, message = ""): Error => new ProviderHttpError({ status, message });
const system = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });
const wrapped = (inner: Error): Error => new TypeError("fetch failed", { cause: new Error("outer", { cause: inner }) });

const table: [what: string, error: unknown, code: string, tier: string][] = [
  ["401", http(401), "MODEL_AUTH", "user_fixable"],
  ["403", http(403), "MODEL_AUTH", "user_fixable"],
  ["402", http(402), "MODEL_QUOTA", "user_fixable"],
  ["429", http(429), "MODEL_RATE_LIMITED", "external_rate_limit"],
  ["429 quota", http(429, "insufficient_quota"), "MODEL_QUOTA", "user_fixable"],
  ["400 credit", http(400, "Your credit balance is too low"), "MODEL_QUOTA", "user_fixable"],
  ["400", http(400, "unknown field"), "MODEL_BAD_REQUEST", "permanent"],
  ["400 context", http(400, "maximum context length is 8192 tokens"), "MODEL_CONTEXT_TOO_LONG", "permanent"],
  ["404", http(404), "MODEL_NOT_FOUND", "user_fixable"],
  ["408", http(408), "MODEL_NETWORK", "transient"],
  ["500", http(500), "MODEL_UNAVAILABLE", "external_degrading"],
  ["502", http(502), "MODEL_UNAVAILABLE", "external_degrading"],
  ["503", http(503), "MODEL_UNAVAILABLE", "external_degrading"],
  ["504", http(504), "MODEL_UNAVAILABLE", "external_degrading"],
  ["529", http(529, "Overloaded"), "MODEL_UNAVAILABLE", "external_degrading"],
  ["a 200 that broke", http(200), "MODEL_STREAM_BROKEN", "transient"],
  ["ECONNRESET", system("ECONNRESET"), "MODEL_NETWORK", "transient"],
  ["ETIMEDOUT", system("ETIMEDOUT"), "MODEL_NETWORK", "transient"],
  ["EAI_AGAIN", system("EAI_AGAIN"), "MODEL_NETWORK", "transient"],
  ["ECONNREFUSED", system("ECONNREFUSED"), "MODEL_UNREACHABLE", "external_degrading"],
  ["ENOTFOUND", system("ENOTFOUND"), "MODEL_UNREACHABLE", "external_degrading"],
  ["HTTP inside causes", wrapped(http(429)), "MODEL_RATE_LIMITED", "external_rate_limit"],
  ["a code inside causes", wrapped(system("ECONNREFUSED")), "MODEL_UNREACHABLE", "external_degrading"],
  ["fetch failed alone", new TypeError("fetch failed"), "MODEL_NETWORK", "transient"],
  ["text: rate limit", new Error("Rate limit reached for requests"), "MODEL_RATE_LIMITED", "external_rate_limit"],
  ["text: key", new Error("invalid api key"), "MODEL_AUTH", "user_fixable"],
  ["unknown", new Error("the moon is full"), "MODEL_UNKNOWN_ERROR", "permanent"],
  ["not an error", "boom", "MODEL_UNKNOWN_ERROR", "permanent"],
];

test.each(table)("ERR-007 ERR-008 ERR-009: %s", (_, error, code, tier) => {
  expect(classifyModelError(error, context)).toMatchObject({ code, tier });
});

test("ERR-001 ERR-009: anything thrown gets exactly one tier, keeps its cause and loses its secrets", () => {
  fc.assert(
    fc.property(fc.anything(), (thrown) => {
      const error = classifyModelError(thrown, context);
      expect(["transient", "permanent", "user_fixable", "external_rate_limit", "external_degrading"]).toContain(error.tier);
    }),
  );
  const cause = new Error("bad key sk-secret");
  const error = classifyModelError(cause, context);
  expect(error.cause).toBe(cause);
  expect(error.message).toBe("p/m: bad key [REDACTED]");
  const own = new SylkError({ code: "MODEL_TIMEOUT", tier: "transient", message: "x" });
  expect(classifyModelError(own, context)).toBe(own);
});

test("~ERR-018: Retry-After in seconds, as a date, or in milliseconds", () => {
  const wait = (headers: Record<string, string>): unknown =>
    classifyModelError(new ProviderHttpError({ status: 429, message: "", headers }), context).details["retryAfterMs"];
  expect(wait({ "retry-after": "7" })).toBe(7000);
  expect(wait({ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" })).toBe(60_000);
  expect(wait({ "retry-after-ms": "250" })).toBe(250);
  expect(wait({ "retry-after": "whenever" })).toBeUndefined();
});

const config = modelConfigSchema.parse({
  retry: { transient: { jitter: 0 }, external_rate_limit: { jitter: 0 }, external_degrading: { jitter: 0 } },
});
const delays = (tier: "transient" | "external_rate_limit" | "external_degrading"): number[] => {
  const policy = config.retry[tier];
  return Array.from({ length: policy.maxAttempts - 1 }, (_, i) => delayMs(policy, i + 1, () => 0));
};

test("ERR-016 ERR-017 ~ERR-018 ERR-019: the delays of each tier", () => {
  expect(delays("transient")).toEqual([100, 200, 400, 800]);
  expect(delays("external_rate_limit")).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(delays("external_degrading")).toEqual([5000, 10_000]);
});

test("~ERR-018 ERR-020: Retry-After replaces the delay; permanent and user-fixable errors are never repeated", () => {
  const error = (tier: SylkError["tier"], details = {}): SylkError => new SylkError({ code: "MODEL_TIMEOUT", tier, message: "x", details });
  const decide = (one: SylkError, count = 1): unknown =>
    decideRetry(one, { byTier: { [one.tier]: count }, brokenStreams: 0 }, config, () => 0);
  expect(decide(error("external_rate_limit", { retryAfterMs: 120_000 }))).toEqual({ kind: "retry", waitMs: 120_000 });
  expect(decide(error("permanent"))).toEqual({ kind: "stop" });
  expect(decide(error("user_fixable"))).toEqual({ kind: "stop" });
  expect(decide(error("transient"), 5)).toEqual({ kind: "stop" });
  expect(decide(error("transient"), 4)).toEqual({ kind: "retry", waitMs: 800 });
});

test("ERR-014 ERR-015: three blips within 10 s are told once a minute, per provider", () => {
  const tracker = new TroubleTracker(config.retry.trouble);
  const at = [0, 4000, 9000, 9500].map((now) => tracker.failed("a", now));
  expect(at).toEqual([undefined, undefined, 3, undefined]);
  expect(tracker.failed("b", 9600)).toBeUndefined();
  expect([60_000, 65_000, 69_500].map((now) => tracker.failed("a", now))).toEqual([undefined, undefined, 3]);
});
