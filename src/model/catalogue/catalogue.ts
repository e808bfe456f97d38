/**
 * What is known about models: limits, prices, abilities. Shipped data, overlaid by the user's, and
 * stated defaults for everything else. A price that is a default is marked as assumed.
 */
import shipped from "./models.json" with { type: "json" };
import { modelInfoSchema, type ModelConfig } from "../config.ts";
import type { Usage } from "../types.ts";
import { targetId, type Target } from "./target.ts";

export interface ModelInfo {
  contextWindow: number;
  maxOutput: number;
  /** US dollars per million tokens. */
  inputPrice: number;
  outputPrice: number;
  cacheReadPrice: number;
  cacheWritePrice: number;
  tools: boolean;
  structured: boolean;
  reasoning: boolean;
  /** It takes pictures. */
  images: boolean;
  /** Its output limit is known, not a stated default. */
  knownLimits: boolean;
  /** Neither the shipped data nor the user names this model's prices where it is used. */
  assumed: boolean;
}

export const DEFAULT_TIERS: Readonly<Record<string, readonly string[]>> = shipped.tiers;

type Known = Partial<Omit<ModelInfo, "assumed" | "knownLimits">>;

function defined(value: ModelConfig["catalogue"][string]): Known {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}

function shippedFor(id: string): Known | undefined {
  const models: Record<string, unknown> = shipped.models;
  // A dated release is priced like the model it is a release of.
  const entry = models[id] ?? models[id.replace(/-\d{4}-?\d{2}-?\d{2}$/, "")];
  return entry === undefined ? undefined : defined(modelInfoSchema.parse(entry));
}

/** Its maker's prices are not those of whoever runs it. */
function withoutPrices({ inputPrice: _in, outputPrice: _out, cacheReadPrice: _read, cacheWritePrice: _write, ...rest }: Known): Known {
  return rest;
}

export interface ProviderPlaces {
  /** It runs on this machine or answers from a file, so its tokens cost nothing. */
  isLocal(provider: string): boolean;
  /** It stands at an address of the user's own, whose prices nobody here knows. */
  isElsewhere(provider: string): boolean;
  /** Whose models it serves: `anthropic`, `openai`, `google`, or its own name. */
  family(provider: string): string;
}

export class Catalogue {
  readonly #own: ModelConfig["catalogue"];
  readonly #places: ProviderPlaces;
  readonly #known = new Map<string, ModelInfo>();

  constructor(own: ModelConfig["catalogue"], places: ProviderPlaces) {
    this.#own = own;
    this.#places = places;
  }

  info(target: Target): ModelInfo {
    const id = targetId(target);
    let info = this.#known.get(id);
    if (info === undefined) this.#known.set(id, (info = this.#build(id, target)));
    return info;
  }

  #build(id: string, target: Target): ModelInfo {
    const local = this.#places.isLocal(target.provider);
    const base = modelInfoSchema.parse(local ? shipped.defaults.local : shipped.defaults.remote) as Required<Known>;
    const own = this.#own[id] === undefined ? {} : defined(this.#own[id]);
    const known = shippedFor(`${this.#places.family(target.provider)}/${target.model}`) ?? {};
    return {
      ...base,
      ...(local ? withoutPrices(known) : known),
      ...own,
      knownLimits: known.maxOutput !== undefined || own.maxOutput !== undefined,
      assumed: !local && own.inputPrice === undefined && (known.inputPrice === undefined || this.#places.isElsewhere(target.provider)),
    };
  }

  /** Ids the shipped data and the user name, for one provider. */
  idsOf(provider: string): string[] {
    const prefix = `${provider}/`;
    return [...new Set([...Object.keys(shipped.models), ...Object.keys(this.#own)])].filter((id) => id.startsWith(prefix));
  }
}

const PER_MILLION = 1_000_000;

/** Dollars for a usage: cached input at its own prices, the rest at the input price. */
export function costOf(usage: Usage, info: ModelInfo): number {
  const plain = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const dollars =
    plain * info.inputPrice +
    usage.cacheReadTokens * info.cacheReadPrice +
    usage.cacheWriteTokens * info.cacheWritePrice +
    usage.outputTokens * info.outputPrice;
  return dollars / PER_MILLION;
}
