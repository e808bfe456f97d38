import { must } from "../kernel/index.ts";

/** How many tokens each part of a step's input may take at most (CTX-005, CTX-010). Constant over steps. */
export interface Profile {
  name: string;
  /** Upper bound of the whole input, tool schemas included. */
  total: number;
  system: number;
  frame: number;
  state: number;
  recent: number;
  verification: number;
  actions: number;
  /** Pinned text (goal, criteria, constraints, rules) may grow beyond the frame by this much, taken from the state. */
  pinnedExtra: number;
  /** The project's files at a glance. */
  overview: number;
  /** One page of a file or result. */
  page: number;
  /** Items kept in view, and reads taken from one answer. */
  items: number;
  /** Of the state, for the diff: enough for a change, and the rest is one action away. */
  diff: number;
  /** The newest steps that are told in detail. */
  recentActions: number;
  /** Steps of the ledger with a line of their own. */
  ledgerLines: number;
  maxOutput: number;
  /** What a task goes on with when something it asked for had to be cut; absent: a person chose this bound, and it holds. */
  growsTo?: string;
}

export const PROFILES: Record<string, Profile> = {
  minimal: {
    name: "minimal",
    total: 8_000,
    system: 1_000,
    frame: 500,
    state: 4_500,
    recent: 1_000,
    verification: 200,
    actions: 800,
    pinnedExtra: 2_500,
    overview: 600,
    page: 1_200,
    items: 5,
    diff: 400,
    recentActions: 3,
    ledgerLines: 16,
    maxOutput: 4_096,
  },
  default: {
    name: "default",
    total: 16_000,
    system: 1_000,
    frame: 1_000,
    state: 11_200,
    recent: 1_600,
    verification: 400,
    actions: 800,
    pinnedExtra: 4_000,
    overview: 800,
    page: 4_500,
    items: 10,
    diff: 3_000,
    recentActions: 3,
    ledgerLines: 40,
    maxOutput: 8_192,
    growsTo: "standard",
  },
  standard: {
    name: "standard",
    total: 32_000,
    system: 1_000,
    frame: 2_000,
    state: 24_000,
    recent: 3_200,
    verification: 1_000,
    actions: 800,
    pinnedExtra: 10_000,
    overview: 2_000,
    page: 6_000,
    items: 20,
    diff: 7_000,
    recentActions: 5,
    ledgerLines: 60,
    maxOutput: 8_192,
  },
  wide: {
    name: "wide",
    total: 128_000,
    system: 1_000,
    frame: 4_000,
    state: 112_000,
    recent: 8_200,
    verification: 2_000,
    actions: 800,
    pinnedExtra: 30_000,
    overview: 4_000,
    page: 25_000,
    items: 40,
    diff: 24_000,
    recentActions: 8,
    ledgerLines: 100,
    maxOutput: 16_384,
  },
};

export function itemsOf(profile: string): number {
  return (PROFILES[profile] ?? must(PROFILES["minimal"])).items;
}
