/** From what a request names (id, alias, tier) to the real models to try, in order. */
import { SylkError } from "../../kernel/index.ts";
import type { ModelConfig } from "../config.ts";
import type { ProviderRegistry } from "./provider-registry.ts";

export interface Target {
  provider: string;
  model: string;
}

export function targetId(target: Target): string {
  return `${target.provider}/${target.model}`;
}

function direct(name: string, registry: ProviderRegistry): Target | undefined {
  const slash = name.indexOf("/");
  if (slash > 0) {
    const provider = name.slice(0, slash);
    const model = name.slice(slash + 1);
    const entry = registry.describe(provider);
    if (entry === undefined) return undefined;
    return { provider, model: entry.config.models[model] ?? model };
  }
  for (const provider of registry.names()) {
    const model = registry.describe(provider)?.config.models[name];
    if (model !== undefined) return { provider, model };
  }
  return undefined;
}

/** Throws when nothing by that name is known; the error lists what is. */
export function resolveModel(name: string, config: ModelConfig, registry: ProviderRegistry): Target[] {
  const wanted = name === "" ? (config.defaultModel ?? "balanced") : name;
  const named = config.tiers[wanted];
  const ids = named ?? [wanted, ...(config.fallbacks[wanted] ?? [])];
  return ids.map((id) => {
    const target = direct(id, registry);
    if (target !== undefined) return target;
    const tiers = Object.keys(config.tiers);
    throw new SylkError({
      code: "MODEL_UNKNOWN",
      tier: "user_fixable",
      message: `no model is called "${id}"`,
      fix: `name it provider/model (providers: ${registry.names().join(", ")})${tiers.length === 0 ? " or map tiers under llm.tiers" : ` or use a tier: ${tiers.join(", ")}`}`,
    });
  });
}
