/** One line and one set of limits per provider, made when the provider is first asked for. */
import { SylkError, type Clock } from "../../kernel/index.ts";
import type { Journal } from "../../journal/index.ts";
import type { ModelConfig } from "../config.ts";
import { ProviderLimits } from "../limits/provider-limits.ts";
import { ProviderQueue } from "../queue/provider-queue.ts";
import type { ProviderRegistry } from "../routing/provider-registry.ts";
import type { Signals } from "../usage/signals.ts";

export interface ProviderLane {
  queue: ProviderQueue;
  limits: ProviderLimits;
}

export interface LanesOptions {
  config: ModelConfig;
  clock: Clock;
  registry: ProviderRegistry;
  machineJournal: Journal | undefined;
  signals: Signals;
  random: () => number;
}

export class ProviderLanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, ProviderLane>();

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  get(provider: string): ProviderLane {
    let lane = this.#lanes.get(provider);
    if (lane === undefined) this.#lanes.set(provider, (lane = this.#open(provider)));
    return lane;
  }

  #open(provider: string): ProviderLane {
    const { config, clock, registry, machineJournal, signals, random } = this.#options;
    const limits = new ProviderLimits({
      provider,
      clock,
      journal: machineJournal,
      policy: config.retry.external_rate_limit,
      random,
      onPause: (name, until, attempt) => signals.rateLimited(name, until, attempt),
      onResume: (name) => signals.rateLimitCleared(name),
    });
    const queue = new ProviderQueue({
      ...config.queue,
      provider,
      clock,
      limits,
      maxConcurrent: registry.describe(provider)?.config.maxConcurrentRequests ?? 1,
      onStarving: (name, waitedMs) => signals.queueStarving(name, waitedMs),
    });
    return { queue, limits };
  }

  all(): [provider: string, lane: ProviderLane][] {
    return [...this.#lanes];
  }

  close(): void {
    const closed = new SylkError({ code: "MODEL_GATE_CLOSED", tier: "transient", message: "the model gate was closed" });
    for (const lane of this.#lanes.values()) lane.queue.close(closed);
  }
}
