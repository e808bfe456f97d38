/** Scenarios of whole tasks that once broke a law. They run every time. */
import type { TaskScenario } from "./task-scenario.ts";

export const KEPT_TASKS: Record<string, TaskScenario> = {
  "a pause does not forget the command that ran when its process died": {
    seed: 113,
    workers: 1,
    tasks: [
      { tree: false, deeds: ["delete", "run", "run", "pair"], afterwards: "nothing", cancelAfterMs: 12_978, pauseAfterMs: null },
      { tree: true, deeds: ["insert", "run", "run"], afterwards: "merge_undo", cancelAfterMs: null, pauseAfterMs: 17_043 },
    ],
    edits: [
      { atMs: null, file: "t1b.txt", place: "disputed" },
      { atMs: 18_418, file: "t0a.txt", place: "disputed" },
      { atMs: 317, file: "shared.txt", place: "top" },
    ],
    saves: 2,
    faults: {
      crash: 0.005708036545664072,
      powerLoss: 0.00126767749954015,
      pause: 0.007278788847383112,
      refuse: 0,
      lostReply: 0.004446100138127804,
      slow: 0,
      diskFull: 0.004618265083990991,
      wallJump: 0,
    },
    model: {
      slow: 0.08995514209382235,
      drip: 0.05780263151973486,
      cut: 0.1664498468860984,
      malformed: 0.14575368143618106,
      limited: 0,
      failing: 0,
      wrongTool: 0.07710316725075245,
      silent: 0.0450681344140321,
    },
    steps: 390,
  },
  "a tree whose task was written stays, though the store's answer was lost": {
    seed: 70,
    workers: 1,
    tasks: [
      { tree: true, deeds: [], afterwards: "nothing", cancelAfterMs: null, pauseAfterMs: null },
      { tree: false, deeds: [], afterwards: "nothing", cancelAfterMs: null, pauseAfterMs: null },
    ],
    edits: [],
    saves: 0,
    faults: {
      crash: 0,
      powerLoss: 0,
      pause: 0.005073107070755214,
      refuse: 0.007482781724072993,
      lostReply: 0.004445040368009359,
      slow: 0,
      diskFull: 0,
      wallJump: 0,
    },
    model: { slow: 0, drip: 0, cut: 0, malformed: 0, limited: 0, failing: 0, wrongTool: 0, silent: 0 },
    steps: 163,
  },
};
