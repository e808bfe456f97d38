/** From what a request names (id, alias, tier) to the real models to try, in order. */
import { SylkError, wording } from "../../kernel/index.ts";
import { DEFAULT_TIERS, type Catalogue } from "../catalogue/catalogue.ts";
import type { ModelConfig } from "../config.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import { targetId, type Target } from "../catalogue/target.ts";

export interface ModelNames {
  config: ModelConfig;
  registry: ProviderRegistry;
  catalogue: Catalogue;
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

/** Who serves a known model of that name: of the providers that are set up, else of all. */
function serving(name: string, { registry, catalogue }: ModelNames): Target[] {
  const all = registry.names().filter((provider) => {
    const family = registry.family(provider);
    return catalogue.idsOf(family).includes(`${family}/${name}`);
  });
  const ready = all.filter((provider) => registry.describe(provider)?.status.kind === "ready");
  return (ready.length > 0 ? ready : all).map((provider) => ({ provider, model: name }));
}

/** Names under which a provider's `models` may choose another model for a shipped tier (CFG-009). */
const TIER_ALIASES: Readonly<Record<string, string>> = { fast: "fast", balanced: "default", deep: "powerful" };

/** The shipped tier, reduced to providers that are set up, the default provider first; where none is, the user's own model. */
function shippedTier(name: string, names: ModelNames): Target[] | undefined {
  const { config, registry } = names;
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
  const own = config.defaultModel;
  // Who chose a model wants it, whatever a role would like best.
  if (own !== null && own !== name && DEFAULT_TIERS[own] === undefined) return resolveModel(own, names);
  throw new SylkError({
    code: "MODEL_NONE_SET_UP",
    tier: "user_fixable",
    message: "no model provider is set up",
    fix: "`sylk auth login`, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; for a local server set OPENAI_BASE_URL, or start `sylk` alone and give its address; or name a model with -m provider/model",
  });
}

function unknownModel(id: string, names: ModelNames): SylkError {
  const { config, registry, catalogue } = names;
  const tiers = [...new Set([...Object.keys(config.tiers), ...Object.keys(DEFAULT_TIERS)])];
  const known = registry.names().flatMap((provider) => catalogue.idsOf(registry.family(provider)));
  const served = serving(id, names).map(targetId);
  const near = wording.nearest(id, [...known, ...known.map((one) => one.slice(one.indexOf("/") + 1)), ...tiers]);
  const fix =
    served.length > 1
      ? `say which: ${served.join(" or ")}`
      : /\.ya?ml$/.test(id)
        ? `for a model that answers from this file: scripted/${id}`
        : `${near === undefined ? "" : `did you mean ${near}? `}name it provider/model (providers: ${registry.names().join(", ")}) or use a tier: ${tiers.join(", ")}`;
  const message = served.length > 1 ? `several providers have a model "${id}"` : `no model is called "${id}"`;
  return new SylkError({ code: "MODEL_UNKNOWN", tier: "user_fixable", message, fix });
}

/** Throws when nothing by that name is known; the error lists what is. */
export function resolveModel(name: string, names: ModelNames): Target[] {
  const { config, registry } = names;
  const wanted = name === "" ? (config.defaultModel ?? "balanced") : name;
  const named = config.tiers[wanted];
  if (named === undefined) {
    const shipped = shippedTier(wanted, names);
    if (shipped !== undefined) return shipped;
  }
  const ids = named ?? [wanted, ...(config.fallbacks[wanted] ?? [])];
  return ids.map((id) => {
    const target = direct(id, registry);
    if (target !== undefined) return target;
    const [only, ...others] = id.includes("/") ? [] : serving(id, names);
    if (only === undefined || others.length > 0) throw unknownModel(id, names);
    return only;
  });
}
