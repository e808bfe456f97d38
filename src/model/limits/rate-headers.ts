/** Remaining requests and tokens as Anthropic- and OpenAI-style headers tell them. */
import { must } from "../../kernel/index.ts";
export interface RateWindow {
  remaining: number;
  resetAt: number;
}

export interface RateHeaders {
  requests: RateWindow | undefined;
  tokens: RateWindow | undefined;
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `6m0s`, `120ms`, `1.5s`, plain seconds, or a date. */
function resetAt(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return now + Number(value) * 1000;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length > 0 && parts.map((part) => part[0]).join("") === value)
    return now + parts.reduce((sum, part) => sum + Number(part[1]) * must(UNIT_MS[must(part[2])]), 0);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}

function windowOf(
  headers: Record<string, string>,
  names: readonly [remaining: string, reset: string][],
  now: number,
): RateWindow | undefined {
  for (const [remainingName, resetName] of names) {
    const raw = headers[remainingName];
    const reset = resetAt(headers[resetName], now);
    if (raw !== undefined && reset !== undefined && Number.isFinite(Number(raw))) return { remaining: Number(raw), resetAt: reset };
  }
  return undefined;
}

export function readRateHeaders(headers: Record<string, string>, now: number): RateHeaders {
  return {
    requests: windowOf(
      headers,
      [
        ["anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"],
        ["x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
      ],
      now,
    ),
    tokens: windowOf(
      headers,
      [
        ["anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"],
        ["anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"],
        ["x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
      ],
      now,
    ),
  };
}
