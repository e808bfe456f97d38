/**
 * Turns whatever a provider threw into one SylkError with one of the five tiers (ERR-001…010). First
 * match wins: our own errors, then HTTP status and body (looked for through causes), then system codes, then
 * text. What nothing matches is permanent: fail fast, never mask. Aborts never come here.
 */
import { SylkError, messageOf, systemCode } from "../../kernel/index.ts";

interface HttpRefusal {
  statusCode: number;
  responseHeaders: Record<string, string>;
  responseBody: string;
}

interface Verdict {
  code: SylkError["code"];
  tier: SylkError["tier"];
  fix?: string;
}

const QUOTA = /insufficient[_ ]quota|quota exceeded|exceeded your current quota|credit balance|billing|payment required|out of credits/i;
const CONTEXT = /context.{0,20}(length|window)|maximum context|too many tokens|prompt is too long|input.{0,12}too (long|large)/i;
const RATE_LIMIT = /rate[_ ]limit|too many requests/i;
const OVERLOADED = /overloaded|unavailable|internal server error|api_error|bad gateway/i;

const SYSTEM_CODES: Record<string, Verdict> = {
  ECONNRESET: { code: "MODEL_NETWORK", tier: "transient" },
  EPIPE: { code: "MODEL_NETWORK", tier: "transient" },
  ETIMEDOUT: { code: "MODEL_NETWORK", tier: "transient" },
  EAI_AGAIN: { code: "MODEL_NETWORK", tier: "transient" },
  ECONNREFUSED: {
    code: "MODEL_UNREACHABLE",
    tier: "external_degrading",
    fix: "check that the endpoint is running and its base URL is right",
  },
  ENOTFOUND: { code: "MODEL_UNREACHABLE", tier: "external_degrading", fix: "check the network and the provider's base URL" },
  EHOSTUNREACH: { code: "MODEL_UNREACHABLE", tier: "external_degrading", fix: "check the network and the provider's base URL" },
  ENETUNREACH: { code: "MODEL_UNREACHABLE", tier: "external_degrading", fix: "check the network" },
};

const TEXT_RULES: readonly (Verdict & { pattern: RegExp })[] = [
  { pattern: QUOTA, code: "MODEL_QUOTA", tier: "user_fixable", fix: "add credit or raise the quota with the provider" },
  {
    pattern: /invalid[_ ](api[_ ])?key|authentication|unauthorized|permission denied/i,
    code: "MODEL_AUTH",
    tier: "user_fixable",
    fix: "check the provider's API key",
  },
  { pattern: RATE_LIMIT, code: "MODEL_RATE_LIMITED", tier: "external_rate_limit" },
  { pattern: OVERLOADED, code: "MODEL_UNAVAILABLE", tier: "external_degrading" },
  { pattern: CONTEXT, code: "MODEL_CONTEXT_TOO_LONG", tier: "permanent", fix: "send less, or choose a model with a larger context window" },
  { pattern: /fetch failed|network|socket|terminated|timed? ?out|other side closed|UND_ERR/i, code: "MODEL_NETWORK", tier: "transient" },
];

function* causes(error: unknown): Generator<object> {
  for (let e: unknown = error, depth = 0; typeof e === "object" && e !== null && depth < 8; depth += 1) {
    yield e;
    e = (e as { cause?: unknown }).cause;
  }
}

function refusalIn(error: unknown): HttpRefusal | undefined {
  for (const e of causes(error)) {
    const { statusCode, responseHeaders, responseBody } = e as Partial<HttpRefusal>;
    if (typeof statusCode === "number")
      return { statusCode, responseHeaders: responseHeaders ?? {}, responseBody: responseBody ?? messageOf(e) };
  }
  return undefined;
}

function byStatus({ statusCode: status, responseBody: body }: HttpRefusal): Verdict | undefined {
  if (status === 402 || (status >= 400 && status < 500 && QUOTA.test(body)))
    return { code: "MODEL_QUOTA", tier: "user_fixable", fix: "add credit or raise the quota with the provider" };
  if (status === 401 || status === 403) return { code: "MODEL_AUTH", tier: "user_fixable", fix: "check the provider's API key" };
  if (status === 429) return { code: "MODEL_RATE_LIMITED", tier: "external_rate_limit" };
  if (status >= 500) return { code: "MODEL_UNAVAILABLE", tier: "external_degrading" };
  if (status === 408 || status === 409 || status === 425) return { code: "MODEL_NETWORK", tier: "transient" };
  if (status === 404) return { code: "MODEL_NOT_FOUND", tier: "user_fixable", fix: "check the model's name with `sylk models list`" };
  if (CONTEXT.test(body))
    return { code: "MODEL_CONTEXT_TOO_LONG", tier: "permanent", fix: "send less, or choose a model with a larger context window" };
  if (status >= 400) return { code: "MODEL_BAD_REQUEST", tier: "permanent" };
  // A 200 whose body broke off.
  return { code: "MODEL_STREAM_BROKEN", tier: "transient" };
}

/** `Retry-After` in seconds or as a date, else the provider's own reset headers. */
function retryAfterMs(headers: Record<string, string>, nowMs: number): number | undefined {
  const direct = headers["retry-after-ms"];
  if (direct !== undefined && Number.isFinite(Number(direct))) return Math.max(0, Number(direct));
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}

export interface ClassifyContext {
  provider: string;
  model: string;
  nowMs: number;
  redact: (text: string) => string;
}

export function classifyModelError(error: unknown, context: ClassifyContext): SylkError {
  const own = [...causes(error)].find((e) => e instanceof SylkError);
  if (own !== undefined) return own;
  const refusal = refusalIn(error);
  const sysCode = systemCode(error);
  const text = [...causes(error)].map(messageOf).join("; ") || String(error);
  const verdict: Verdict = (refusal === undefined ? undefined : byStatus(refusal)) ??
    (sysCode === undefined ? undefined : SYSTEM_CODES[sysCode]) ??
    TEXT_RULES.find((rule) => rule.pattern.test(text)) ?? { code: "MODEL_UNKNOWN_ERROR", tier: "permanent" };
  const wait = refusal === undefined ? undefined : retryAfterMs(refusal.responseHeaders, context.nowMs);
  return new SylkError({
    code: verdict.code,
    tier: verdict.tier,
    message: context.redact(`${context.provider}/${context.model}: ${firstLine(messageOf(error))}`),
    fix: verdict.fix,
    cause: error,
    details: {
      provider: context.provider,
      model: context.model,
      ...(refusal === undefined ? {} : { status: refusal.statusCode }),
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    },
  });
}
