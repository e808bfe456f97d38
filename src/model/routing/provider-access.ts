/**
 * How to reach a provider: what the configuration says, completed by the variables people already
 * have. Keys come from the environment only and are handed to the SDK, to nobody else.
 */
import { SERVICES } from "../../guard/index.ts";
import type { ModelConfig, ProviderConfig, ProviderKind } from "../config.ts";
import type { Environment } from "../providers/types.ts";

/** Services whose models can be used without configuring them. */
export const WELL_KNOWN = Object.fromEntries(
  Object.entries(SERVICES).flatMap(([name, { keys, baseUrls, model }]) =>
    model === undefined ? [] : [[name, { keys, baseUrls, ...model }]],
  ),
);

/** Every known provider that needs a key, with the variables that may hold it. */
export const MODEL_KEYS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(WELL_KNOWN).flatMap(([name, known]) => (known.keyOptional === true ? [] : [[name, known.keys]])),
);

export const PLAIN_PROVIDER: ProviderConfig = {
  enabled: true,
  headers: {},
  models: {},
  maxConcurrentRequests: 8,
  baseUrl: null,
  apiKeyEnv: null,
};

/** A shorter value is a placeholder for a local server, and would blank ordinary words. */
const SHORTEST_KEY = 8;

export interface Access {
  kind: ProviderKind;
  config: ProviderConfig;
  apiKey: string | undefined;
  baseUrl: string | undefined;
  /** Variables looked at, the best-known last. */
  keyNames: readonly string[];
  keyOptional: boolean;
}

function firstSet(env: Environment, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** With what its SDK expects at the end, where people leave it out. */
function normaliseBaseUrl(url: string | undefined, versionPath = ""): string | undefined {
  if (url === undefined) return undefined;
  const full = /^https?:\/\//.test(url) ? url : `http://${url}`;
  const trimmed = full.replace(/\/+$/, "");
  return /\/v\d+(beta|alpha)?$/.test(trimmed) ? trimmed : `${trimmed}${versionPath}`;
}

export function isLoopback(url: string | undefined): boolean {
  return url !== undefined && /^https?:\/\/(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(url);
}

/** The keys themselves, so that none of them can appear in an error or a recording. */
export function keysOf(config: ModelConfig, env: Environment): string[] {
  const names = new Set([...Object.keys(config.providers), ...Object.keys(WELL_KNOWN)]);
  const keys = [...names].flatMap((name) => accessOf(name, config, env)?.apiKey ?? []);
  return [...new Set(keys)].filter((key) => key.length >= SHORTEST_KEY);
}

/** Undefined when nobody has heard of such a provider, or its kind is not said. */
export function accessOf(name: string, config: ModelConfig, env: Environment): Access | undefined {
  const known = WELL_KNOWN[name];
  const own = config.providers[name];
  const kind = own?.kind ?? known?.kind;
  if (kind === undefined) return undefined;
  const keyNames = typeof own?.apiKeyEnv === "string" ? [own.apiKeyEnv] : (known?.keys ?? WELL_KNOWN[kind]?.keys ?? []);
  const given = own?.baseUrl ?? (known === undefined ? undefined : firstSet(env, known.baseUrls));
  const baseUrl = normaliseBaseUrl(
    given ?? known?.baseUrl,
    (known?.kind === kind ? known.versionPath : undefined) ?? WELL_KNOWN[kind]?.versionPath,
  );
  // An endpoint of one's own usually speaks chat completions only.
  const chatOnly = (own?.kind ?? null) === null && kind === "openai" && baseUrl !== undefined && !baseUrl.includes("api.openai.com");
  return {
    kind: chatOnly ? "openai-chat" : kind,
    config: own ?? PLAIN_PROVIDER,
    apiKey: firstSet(env, keyNames),
    baseUrl,
    keyNames,
    keyOptional: known?.keyOptional === true || isLoopback(baseUrl) || (own !== undefined && kind === "compatible"),
  };
}
