/** Asks a provider whether it accepts a key, with the lightest call it has (CRE-005). */
import { isAbort, messageOf } from "../../kernel/index.ts";

export type KeyCheck =
  | { kind: "accepted" }
  | { kind: "rejected"; status: number }
  /** The key may be fine: the provider could not be asked. */
  | { kind: "unreachable"; reason: string }
  /** No check is known for this provider. */
  | { kind: "unverifiable" };

interface CheckCall {
  url: (base: string) => string;
  base: { variables: readonly string[]; fallback: string };
  headers: (key: string) => Record<string, string>;
}

const CHECKS: Readonly<Record<string, CheckCall>> = {
  anthropic: {
    url: (base) => `${base.replace(/\/v1$/, "")}/v1/models?limit=1`,
    base: { variables: ["ANTHROPIC_BASE_URL"], fallback: "https://api.anthropic.com" },
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  openai: {
    url: (base) => `${base}/models`,
    base: { variables: ["OPENAI_BASE_URL"], fallback: "https://api.openai.com/v1" },
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  google: {
    url: (base) => `${base}/models?pageSize=1`,
    base: { variables: ["GOOGLE_GEMINI_BASE_URL"], fallback: "https://generativelanguage.googleapis.com/v1beta" },
    headers: (key) => ({ "x-goog-api-key": key }),
  },
  openrouter: {
    url: (base) => `${base}/key`,
    base: { variables: ["OPENROUTER_BASE_URL"], fallback: "https://openrouter.ai/api/v1" },
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  github: {
    url: (base) => `${base}/user`,
    base: { variables: ["GITHUB_API_URL"], fallback: "https://api.github.com" },
    headers: (key) => ({ authorization: `Bearer ${key}`, "user-agent": "sylk" }),
  },
};

const TIMEOUT_MS = 10_000;

export async function verifyKey(options: {
  provider: string;
  key: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}): Promise<KeyCheck> {
  const { provider, key, env, signal } = options;
  const call = Object.hasOwn(CHECKS, provider) ? CHECKS[provider] : undefined;
  if (call === undefined) return { kind: "unverifiable" };
  const base = call.base.variables.map((name) => env[name]).find((value) => (value ?? "") !== "") ?? call.base.fallback;
  try {
    const response = await fetch(call.url(base.replace(/\/+$/, "")), {
      headers: call.headers(key),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (response.ok) return { kind: "accepted" };
    if (response.status === 401 || response.status === 403 || response.status === 400) return { kind: "rejected", status: response.status };
    return { kind: "unreachable", reason: `the provider answered ${response.status}` };
  } catch (error) {
    if (signal.aborted && isAbort(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return { kind: "unreachable", reason: `${messageOf(error)}${cause}` };
  }
}
