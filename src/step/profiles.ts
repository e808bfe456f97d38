/** How many tokens each part of a step's input may take (CTX-005, CTX-010). Constant over steps. */
export interface Profile {
  name: string;
  /** Upper bound of the whole input, tool schemas included. */
  total: number;
  system: number;
  frame: number;
  state: number;
  /** How much of it is used as long as nothing calls for more. */
  stateTarget: number;
  recent: number;
  verification: number;
  actions: number;
  /** Pinned text (goal, criteria, constraints, rules) may grow beyond the frame by this much, taken from the state. */
  pinnedExtra: number;
  /** The project's files at a glance. */
  overview: number;
  /** Older items are outlined to keep the input small; larger profiles keep them whole. */
  aging: boolean;
  /** One page of a file or result. */
  page: number;
  recentActions: number;
  maxOutput: number;
}

export const PROFILES: Record<string, Profile> = {
  minimal: {
    name: "minimal",
    total: 8_000,
    system: 1_000,
    frame: 500,
    state: 4_500,
    stateTarget: 3_400,
    recent: 1_000,
    verification: 200,
    actions: 800,
    pinnedExtra: 2_500,
    overview: 600,
    aging: true,
    page: 1_200,
    recentActions: 3,
    maxOutput: 4_096,
  },
  standard: {
    name: "standard",
    total: 32_000,
    system: 1_000,
    frame: 2_000,
    state: 24_000,
    stateTarget: 24_000,
    recent: 3_200,
    verification: 1_000,
    actions: 800,
    pinnedExtra: 10_000,
    overview: 2_000,
    aging: false,
    page: 6_000,
    recentActions: 8,
    maxOutput: 8_192,
  },
  wide: {
    name: "wide",
    total: 128_000,
    system: 1_000,
    frame: 4_000,
    state: 112_000,
    stateTarget: 112_000,
    recent: 8_200,
    verification: 2_000,
    actions: 800,
    pinnedExtra: 30_000,
    overview: 4_000,
    aging: false,
    page: 25_000,
    recentActions: 20,
    maxOutput: 16_384,
  },
};
