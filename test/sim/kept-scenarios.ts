/** Scenarios that once broke a law, shrunk. They run every time. */
import type { Faults, Scenario } from "./scenario.ts";

const NO_FAULTS: Faults = { crash: 0, powerLoss: 0, pause: 0, refuse: 0, lostReply: 0, slow: 0, diskFull: 0, failedAct: 0, wallJump: 0 };

export const KEPT: Record<string, Scenario> = {
  "a run that was cancelled while it rested is not taken up again": {
    seed: 72,
    machines: "many",
    workers: 4,
    people: 2,
    runs: [
      { parts: [], cancelAfterMs: null },
      { parts: [], cancelAfterMs: 53 },
    ],
    faults: NO_FAULTS,
    steps: 25,
  },
  "whoever is paused between the look at the run and the deed asks for ownership last": {
    seed: 347,
    machines: "many",
    workers: 5,
    people: 1,
    runs: [
      { parts: [{ do: "effect", flavour: "file" }], cancelAfterMs: null },
      { parts: [], cancelAfterMs: null },
    ],
    faults: {
      ...NO_FAULTS,
      crash: 0.04608992477878928,
      pause: 0.020650050616823137,
      refuse: 0.045311923306435346,
      slow: 0.035734941400587555,
    },
    steps: 143,
  },
  "an answer about ownership that was long under way is asked for again": {
    seed: 2083,
    machines: "many",
    workers: 3,
    people: 1,
    runs: [
      { parts: [], cancelAfterMs: null },
      { parts: [{ do: "effect", flavour: "telling" }], cancelAfterMs: null },
    ],
    faults: {
      ...NO_FAULTS,
      crash: 0.034575026743113996,
      pause: 0.024127249396406113,
      lostReply: 0.016504586916416885,
      slow: 0.06894631309434772,
    },
    steps: 123,
  },
};
