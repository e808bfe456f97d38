/** From what a request names (id, alias, tier) to the real models to try, in order. */
import { SylkError } from "../../kernel/index.ts";
import { DEFAULT_TIERS } from "../catalogue/catalogue.ts";
import type { ModelConfig } from "../config.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import type { Target } from "../catalogue/target.ts";

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

/** Names under which a provider's `models` may choose another model for a shipped tier (CFG-009). */
const TIER_ALIASES: Readonly<Record<string, string>> = { fast: "fast", balanced: "default", deep: "powerful" };

/** The shipped tier, reduced to providers that are set up, the default provider first. */
function shippedTier(name: string, config: ModelConfig, registry: ProviderRegistry): Target[] | undefined {
  const ids = DEFAULT_TIERS[name];
  if (ids === undefined) return undefined;
  const ready = ids.flatMap((id) => {
    const target = direct(id, registry);
    const entry = target === undefined ? undefined : registry.describe(target.provider);
    if (target === undefined || entry?.status.kind !== "ready") return [];
    return [{ ...target, model: entry.config.models[TIER_ALIASES[name] ?? ""] ?? target.model }];
  });
  if (ready.length > 0)
    return ready.toSorted((a, b) => Number(b.provider === config.defaultProvider) - Number(a.provider === config.defaultProvider));
  throw new SylkError({
    code: "MODEL_NONE_SET_UP",
    tier: "user_fixable",
    message: "no model provider is set up",
    fix: "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name a model with -m provider/model",
  });
}

/** Throws when nothing by that name is known; the error lists what is. */
export function resolveModel(name: string, config: ModelConfig, registry: ProviderRegistry): Target[] {
  const wanted = name === "" ? (config.defaultModel ?? "balanced") : name;
  const named = config.tiers[wanted];
  if (named === undefined) {
    const shipped = shippedTier(wanted, config, registry);
    if (shipped !== undefined) return shipped;
  }
  const ids = named ?? [wanted, ...(config.fallbacks[wanted] ?? [])];
  return ids.map((id) => {
    const target = direct(id, registry);
    if (target !== undefined) return target;
    const tiers = new Set([...Object.keys(config.tiers), ...Object.keys(DEFAULT_TIERS)]);
    throw new SylkError({
      code: "MODEL_UNKNOWN",
      tier: "user_fixable",
      message: `no model is called "${id}"`,
      fix: /\.ya?ml$/.test(id)
        ? `for a model that answers from this file: scripted/${id}`
        : `name it provider/model (providers: ${registry.names().join(", ")}) or use a tier: ${[...tiers].join(", ")}`,
    });
  });
}
