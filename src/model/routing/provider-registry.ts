/**
 * Which providers exist and what is missing to use them: the configured ones, the well-known ones,
 * and the two that ship inside.
 */
import { SERVICES } from "../../guard/index.ts";
import { SylkError, type Clock } from "../../kernel/index.ts";
import { createReplayProvider } from "../cassette/replay.ts";
import type { ModelConfig, ProviderConfig, ProviderKind } from "../config.ts";
import { createSdkProvider } from "../providers/ai-sdk.ts";
import { createScriptedProvider } from "../providers/scripted.ts";
import type { Provider } from "../providers/types.ts";
import { accessOf, isLoopback, PLAIN_PROVIDER, WELL_KNOWN, type Access } from "./provider-access.ts";
import type { Environment } from "../providers/types.ts";

export interface ProviderEntry {
  name: string;
  kind: ProviderKind | "scripted" | "replay";
  config: ProviderConfig;
  /** `ready`, or in one line what is missing. */
  status: { kind: "ready" } | { kind: "disabled" } | { kind: "missing"; what: string };
}

export interface RegistryOptions {
  config: ModelConfig;
  env: Environment;
  cwd: string;
  clock: Clock;
  redact: (text: string) => string;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
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
    const { kind, config, apiKey, baseUrl, keyNames, keyOptional } = access;
    const status = (): ProviderEntry["status"] => {
      if (!config.enabled) return { kind: "disabled" };
      if (kind === "compatible" && baseUrl === undefined)
        return {
          kind: "missing",
          what: `set llm.providers.${name}.base_url${WELL_KNOWN[name] === undefined ? "" : ` or ${WELL_KNOWN[name].baseUrls.join(" or ")}`}`,
        };
      if (apiKey === undefined && !keyOptional) return { kind: "missing", what: `set ${keyNames.at(-1) ?? "its API key"}` };
      return { kind: "ready" };
    };
    return { name, kind, config, status: status() };
  }

  /** Its tokens cost nothing: a file answers, or a server on this machine. */
  isLocal(name: string): boolean {
    if (name === "scripted" || name === "replay" || name === "builtin") return true;
    return this.localServer(name) !== undefined;
  }

  /** Where a server on this machine is expected. */
  localServer(name: string): string | undefined {
    const url = this.#access(name)?.baseUrl;
    return isLoopback(url) ? url : undefined;
  }

  /** Its requests go to another host than its maker's. */
  isElsewhere(name: string): boolean {
    const official = SERVICES[name]?.model?.baseUrl ?? SERVICES[name]?.check?.baseUrl;
    const used = this.#access(name)?.baseUrl;
    return official !== undefined && used !== undefined && hostOf(used) !== hostOf(official);
  }

  /** Whose models it serves; named instances of a kind share their maker's catalogue. */
  family(name: string): string {
    const kind = this.#access(name)?.kind;
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
    const { env, config } = this.#options;
    return createSdkProvider({ name, env, ...access, apiKey: access.apiKey ?? "none", limits: config.stream });
  }

  #access(name: string): Access | undefined {
    return accessOf(name, this.#options.config, this.#options.env);
  }
}
