/** What one seed makes happen: who works on what, and what goes wrong how often. Plain data, so that it can be shrunk and kept. */
import { pick, seededRandom } from "../fuzz/random.ts";

/** `telling`: the world says afterwards whether it happened. `silent`: nobody can tell. `file`: written, then synced. */
export type Flavour = "telling" | "silent" | "file";

export type Part =
  | { do: "effect"; flavour: Flavour }
  | { do: "note" }
  | { do: "ask"; deadlineMs: number | null }
  | { do: "rest"; ms: number }
  | { do: "spawn"; parts: Part[] };

export interface RunPlan {
  parts: Part[];
  cancelAfterMs: number | null;
}

/** How likely each is at each occasion. */
export interface Faults {
  crash: number;
  /** Every process of the machine at once, and what was not synced. */
  powerLoss: number;
  pause: number;
  /** The store refuses, and nothing happened. */
  refuse: number;
  /** The store did it, and says it failed. */
  lostReply: number;
  slow: number;
  /** For a while nothing can be written. */
  diskFull: number;
  /** The world refuses, and nothing happened. */
  failedAct: number;
  wallJump: number;
}

export interface Scenario {
  seed: number;
  /** `one`: a life of a holder can be seen. `many`: only its lease is known. */
  machines: "one" | "many";
  workers: number;
  people: number;
  runs: RunPlan[];
  faults: Faults;
  /** Faults end after so many steps; then everything must come to its end. */
  steps: number;
}

type Draw = () => number;

function partOf(random: Draw, depth: number): Part {
  const roll = random();
  if (roll < 0.5) return { do: "effect", flavour: pick(random, ["telling", "telling", "silent", "file"]) };
  if (roll < 0.65) return { do: "note" };
  if (roll < 0.8) return { do: "ask", deadlineMs: random() < 0.4 ? 1 + Math.round(random() * 150) : null };
  if (roll < 0.9 || depth > 0) return { do: "rest", ms: Math.round(random() * 60) };
  return { do: "spawn", parts: partsOf(random, depth + 1) };
}

function partsOf(random: Draw, depth = 0): Part[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => partOf(random, depth));
}

const RATES: Faults = {
  crash: 0.02,
  powerLoss: 0.005,
  pause: 0.015,
  refuse: 0.02,
  lostReply: 0.02,
  slow: 0.03,
  diskFull: 0.005,
  failedAct: 0.1,
  wallJump: 0.005,
};

function faultsOf(random: Draw, machines: Scenario["machines"]): Faults {
  // Each kind is off in a third of the seeds, so that one does not hide another.
  const faults = Object.fromEntries(
    Object.entries(RATES).map(([kind, rate]) => [kind, random() < 0.33 ? 0 : rate * (0.5 + 2 * random())]),
  ) as unknown as Faults;
  // Several machines share the store's clock, which only goes on.
  return machines === "many" ? { ...faults, wallJump: 0 } : faults;
}

export function scenarioOf(seed: number): Scenario {
  const random = seededRandom(seed * 2 + 1);
  const machines = pick(random, ["one", "many"] as const);
  return {
    seed,
    machines,
    workers: 2 + Math.floor(random() * 4),
    people: 1 + Math.floor(random() * 2),
    runs: Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      parts: partsOf(random),
      cancelAfterMs: random() < 0.25 ? Math.round(random() * 300) : null,
    })),
    faults: faultsOf(random, machines),
    steps: 30 + Math.floor(random() * 120),
  };
}
