/** Counters for a gate without a machine store: exact, but of this process only. */
import type { Counters } from "../../journal/index.ts";

export function createMemoryCounters(): Counters {
  const values = new Map<string, number>();
  const set = (key: string, value: number): number => {
    if (value === 0) values.delete(key);
    else values.set(key, value);
    return value;
  };
  return {
    take: async (key, amount, limit, hold) => {
      const value = values.get(key) ?? 0;
      if (value + amount > limit) return { ok: false, value };
      if (hold !== undefined) set(hold, (values.get(hold) ?? 0) + amount);
      return { ok: true, value: set(key, value + amount) };
    },
    giveBack: async (key, amount, hold) => {
      if (hold !== undefined) set(hold, (values.get(hold) ?? 0) - amount);
      return set(key, (values.get(key) ?? 0) - amount);
    },
    value: async (key) => values.get(key) ?? 0,
  };
}
