/** What `sylk models list` shows: providers with what is missing, tiers, and known models. */
import { DEFAULT_TIERS, type Catalogue, type ModelInfo } from "../catalogue/catalogue.ts";
import type { ModelConfig } from "../config.ts";
import type { ProviderEntry, ProviderRegistry } from "./provider-registry.ts";

export interface ModelListing {
  /** `server`: where one on this machine is expected. `silent`: it was asked and nobody is there. */
  providers: { name: string; kind: string; status: ProviderEntry["status"] | { kind: "silent"; what: string }; server?: string }[];
  /** Tier to its chain; `configured` is false for the shipped ones. */
  tiers: { name: string; chain: readonly string[]; configured: boolean }[];
  models: ({ id: string; ready: boolean } & ModelInfo)[];
}

function serverOf(registry: ProviderRegistry, name: string): { server?: string } {
  const server = registry.localServer(name);
  return server === undefined ? {} : { server };
}

export function listModels(config: ModelConfig, registry: ProviderRegistry, catalogue: Catalogue): ModelListing {
  const providers = registry.names().flatMap((name) => {
    const entry = registry.describe(name);
    return entry === undefined ? [] : [{ name, kind: entry.kind, status: entry.status, ...serverOf(registry, name) }];
  });
  const tiers = [...new Set([...Object.keys(DEFAULT_TIERS), ...Object.keys(config.tiers)])].map((name) => ({
    name,
    chain: config.tiers[name] ?? DEFAULT_TIERS[name] ?? [],
    configured: config.tiers[name] !== undefined,
  }));
  const models = providers.flatMap(({ name, status }) => {
    const known = catalogue.idsOf(registry.family(name)).map((id) => id.slice(id.indexOf("/") + 1));
    const aliased = Object.values(registry.describe(name)?.config.models ?? {});
    return [...new Set([...known, ...aliased])].map((model) => ({
      id: `${name}/${model}`,
      ready: status.kind === "ready",
      ...catalogue.info({ provider: name, model }),
    }));
  });
  return { providers, tiers, models };
}
