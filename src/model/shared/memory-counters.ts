/** Counters for a gate without a machine store: exact, but of this process only. */
import type { Counters } from "../../journal/index.ts";

export function createMemoryCounters(): Counters {
  const values = new Map<string, number>();
  const set = (key: string, value: number): number => {
    values.set(key, value);
    return value;
  };
  return {
    take: async (key, amount, limit) => {
      const value = values.get(key) ?? 0;
      return value + amount > limit ? { ok: false, value } : { ok: true, value: set(key, value + amount) };
    },
    giveBack: async (key, amount) => set(key, (values.get(key) ?? 0) - amount),
    value: async (key) => values.get(key) ?? 0,
  };
}
