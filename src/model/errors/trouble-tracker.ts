/** Says when short-lived failures of one provider come too often (ERR-014, ERR-015). */
export interface TroubleConfig {
  frequencyCount: number;
  frequencyWindowMs: number;
  notificationCooldownMs: number;
}

export class TroubleTracker {
  readonly #config: TroubleConfig;
  readonly #seen = new Map<string, { times: number[]; notifiedAt: number }>();

  constructor(config: TroubleConfig) {
    this.#config = config;
  }

  /** The number of recent failures when a user should be told now, else undefined. */
  failed(resource: string, now: number): number | undefined {
    const { frequencyCount, frequencyWindowMs, notificationCooldownMs } = this.#config;
    const entry = this.#seen.get(resource) ?? { times: [], notifiedAt: -Infinity };
    entry.times = [...entry.times.filter((at) => at > now - frequencyWindowMs), now].slice(-1000);
    this.#seen.set(resource, entry);
    if (entry.times.length < frequencyCount || now - entry.notifiedAt < notificationCooldownMs) return undefined;
    entry.notifiedAt = now;
    return entry.times.length;
  }
}
