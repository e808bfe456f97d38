/**
 * Which providers exist and how to reach them: the configured ones, the well-known ones whose
 * variables are set, and the two that ship inside. Keys are read from the environment when a
 * provider is first used and never leave it.
 */
import { SylkError, type Clock } from "../../kernel/index.ts";
import type { ModelConfig, ProviderConfig } from "../config.ts";
import { createReplayProvider } from "../cassette/replay.ts";
import { createSdkProvider } from "../providers/ai-sdk.ts";
import { createScriptedProvider } from "../providers/scripted.ts";
import type { Provider } from "../providers/types.ts";

export type Environment = Record<string, string | undefined>;

interface WellKnown {
  kind: ProviderConfig["kind"];
  keys: readonly string[];
  baseUrls: readonly string[];
  defaultBaseUrl?: string;
  /** A local server needs no key. */
  keyOptional?: boolean;
}

const WELL_KNOWN: Record<string, WellKnown> = {
  anthropic: { kind: "anthropic", keys: ["SYLK_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"], baseUrls: ["ANTHROPIC_BASE_URL"] },
  openai: { kind: "openai", keys: ["SYLK_OPENAI_API_KEY", "OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL"] },
  google: { kind: "google", keys: ["SYLK_GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"], baseUrls: ["GOOGLE_GEMINI_BASE_URL"] },
  openrouter: {
    kind: "compatible",
    keys: ["OPENROUTER_API_KEY"],
    baseUrls: ["OPENROUTER_BASE_URL"],
    defaultBaseUrl: "https://openrouter.ai/api/v1",
  },
  ollama: {
    kind: "compatible",
    keys: ["OLLAMA_API_KEY"],
    baseUrls: ["OLLAMA_HOST"],
    defaultBaseUrl: "http://127.0.0.1:11434",
    keyOptional: true,
  },
  compatible: { kind: "compatible", keys: ["OPENAI_API_KEY"], baseUrls: ["OPENAI_BASE_URL"], keyOptional: true },
};

const PLAIN_PROVIDER = {
  enabled: true,
  headers: {},
  models: {},
  maxConcurrentRequests: 8,
  structuredOutputs: false,
  subscription: null,
  baseUrl: null,
  apiKeyEnv: null,
};

export interface ProviderEntry {
  name: string;
  kind: ProviderConfig["kind"] | "scripted" | "replay";
  config: Omit<ProviderConfig, "kind">;
  /** `ready`, or in one line what is missing. */
  status: { kind: "ready" } | { kind: "disabled" } | { kind: "missing"; what: string };
}

function firstSet(env: Environment, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

export interface RegistryOptions {
  config: ModelConfig;
  env: Environment;
  cwd: string;
  clock: Clock;
  redact: (text: string) => string;
}

export class ProviderRegistry {
  readonly #options: RegistryOptions;
  readonly #made = new Map<string, Provider>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  names(): string[] {
    return [...new Set([...Object.keys(this.#options.config.providers), ...Object.keys(WELL_KNOWN), "scripted", "replay"])];
  }

  describe(name: string): ProviderEntry | undefined {
    if (name === "scripted" || name === "replay")
      return { name, kind: name, config: { ...PLAIN_PROVIDER, maxConcurrentRequests: 64 }, status: { kind: "ready" } };
    const access = this.#access(name);
    if (access === undefined) return undefined;
    const { config, apiKey, baseUrl, keyNames, keyOptional } = access;
    const status = (): ProviderEntry["status"] => {
      if (!config.enabled) return { kind: "disabled" };
      if (config.kind === "compatible" && baseUrl === undefined)
        return {
          kind: "missing",
          what: `set llm.providers.${name}.base_url${WELL_KNOWN[name] === undefined ? "" : ` or ${WELL_KNOWN[name].baseUrls.join(" or ")}`}`,
        };
      if (apiKey === undefined && !keyOptional) return { kind: "missing", what: `set ${keyNames.at(-1) ?? "its API key"}` };
      return { kind: "ready" };
    };
    return { name, kind: config.kind, config, status: status() };
  }

  /** Its tokens cost nothing: a file answers, or a server on this machine. */
  isLocal(name: string): boolean {
    if (name === "scripted" || name === "replay" || name === "builtin") return true;
    const url = this.#access(name)?.baseUrl;
    return url !== undefined && /^https?:\/\/(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(url);
  }

  /** Whose models it serves; named instances of a kind share their maker's catalogue. */
  family(name: string): string {
    const kind = this.#access(name)?.config.kind;
    if (kind === undefined || kind === "compatible") return name;
    return kind === "openai-chat" ? "openai" : kind;
  }

  /** The provider, made on first use. Throws user-fixable errors that say what to set. */
  get(name: string): Provider {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const provider = this.#make(name);
    this.#made.set(name, provider);
    return provider;
  }

  #make(name: string): Provider {
    if (name === "scripted") return createScriptedProvider(this.#options);
    if (name === "replay") return createReplayProvider(this.#options);
    const entry = this.describe(name);
    const access = this.#access(name);
    if (entry === undefined || access === undefined) {
      throw new SylkError({
        code: "MODEL_NO_PROVIDER",
        tier: "user_fixable",
        message: `there is no provider "${name}"`,
        fix: `use one of ${this.names().join(", ")}, or add llm.providers.${name}`,
      });
    }
    if (entry.status.kind === "disabled")
      throw new SylkError({
        code: "MODEL_PROVIDER_DISABLED",
        tier: "user_fixable",
        message: `provider "${name}" is disabled`,
        fix: `set llm.providers.${name}.enabled to true`,
      });
    if (entry.status.kind === "missing")
      throw new SylkError({
        code: "MODEL_NO_KEY",
        tier: "user_fixable",
        message: `provider "${name}" is not set up`,
        fix: entry.status.what,
      });
    return createSdkProvider({ name, config: access.config, baseUrl: access.baseUrl, apiKey: access.apiKey ?? "none" });
  }

  #access(
    name: string,
  ):
    | { config: ProviderConfig; apiKey: string | undefined; baseUrl: string | undefined; keyNames: readonly string[]; keyOptional: boolean }
    | undefined {
    const { config, env } = this.#options;
    const known = WELL_KNOWN[name];
    const own = config.providers[name];
    if (own === undefined && known === undefined) return undefined;
    const kind = own?.kind ?? (known as WellKnown).kind;
    const keyNames = typeof own?.apiKeyEnv === "string" ? [own.apiKeyEnv] : (known?.keys ?? WELL_KNOWN[kind]?.keys ?? []);
    const fromEnv = own?.baseUrl ?? (known === undefined ? undefined : firstSet(env, known.baseUrls));
    const baseUrl = normaliseBaseUrl(name, fromEnv ?? known?.defaultBaseUrl);
    // An endpoint of one's own usually speaks chat completions only.
    const effective =
      own === undefined && kind === "openai" && baseUrl !== undefined && !baseUrl.includes("api.openai.com") ? "openai-chat" : kind;
    return {
      config: { ...PLAIN_PROVIDER, ...own, kind: effective },
      apiKey: firstSet(env, keyNames),
      baseUrl,
      keyNames,
      keyOptional: known?.keyOptional ?? (own !== undefined && (kind === "compatible" || own.baseUrl !== null)),
    };
  }
}

function normaliseBaseUrl(name: string, url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const full = /^https?:\/\//.test(url) ? url : `http://${url}`;
  const trimmed = full.replace(/\/+$/, "");
  return name === "ollama" && !trimmed.endsWith("/v1") ? `${trimmed}/v1` : trimmed;
}
