/** What one seed makes happen to whole tasks. Plain data, so that it can be shrunk and kept. */
import { pick, seededRandom, type Random } from "../../fuzz/random.ts";
import type { Faults } from "../scenario.ts";

/** One thing a task does; its mark is in the files once when it was done once. */
export type Deed = "insert" | "write" | "pair" | "shared" | "move" | "delete" | "run" | "note";

export interface TaskPlan {
  /** In a work tree of its own. */
  tree: boolean;
  deeds: Deed[];
  /** What the user does with what is done. */
  afterwards: "nothing" | "undo" | "merge" | "merge_undo";
  cancelAfterMs: number | null;
  pauseAfterMs: number | null;
}

/** The user writes a line of their own: at the top, or where the tasks write. */
export interface UserEdit {
  /** Null: the moment a task begins to write that file. */
  atMs: number | null;
  file: string;
  place: "top" | "disputed";
}

/** How likely each is at each call of a model. */
export interface ModelFaults {
  slow: number;
  drip: number;
  cut: number;
  malformed: number;
  limited: number;
  failing: number;
  wrongTool: number;
  silent: number;
}

export type TaskFaults = Omit<Faults, "failedAct">;

export interface TaskScenario {
  seed: number;
  workers: number;
  tasks: TaskPlan[];
  edits: UserEdit[];
  /** How many entries the user puts into a role's memory. */
  saves: number;
  faults: TaskFaults;
  model: ModelFaults;
  /** Faults end after so many steps; then everything must come to its end. */
  steps: number;
}

const RATES: TaskFaults = {
  crash: 0.004,
  powerLoss: 0.0006,
  pause: 0.003,
  refuse: 0.003,
  lostReply: 0.003,
  slow: 0.01,
  diskFull: 0.002,
  wallJump: 0.002,
};

const MODEL_RATES: ModelFaults = {
  slow: 0.15,
  drip: 0.1,
  cut: 0.1,
  malformed: 0.08,
  limited: 0.1,
  failing: 0.08,
  wrongTool: 0.08,
  silent: 0.02,
};

/** Each kind is off in a third of the seeds, so that one does not hide another. */
function ratesOf<T extends object>(random: Random, rates: T): T {
  return Object.fromEntries(
    Object.entries(rates).map(([kind, rate]) => [kind, random() < 0.33 ? 0 : (rate as number) * (0.5 + 2 * random())]),
  ) as T;
}

const DEEDS: readonly Deed[] = ["insert", "insert", "write", "pair", "shared", "move", "delete", "run", "run", "note"];

function planOf(random: Random): TaskPlan {
  const tree = random() < 0.35;
  const drawn = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, DEEDS));
  // Moved or deleted once, a file is not there to be moved again.
  const deeds = drawn.filter((deed, index) => !["move", "delete"].includes(deed) || drawn.indexOf(deed) === index);
  return {
    tree,
    deeds,
    afterwards: tree ? pick(random, ["merge", "merge", "merge_undo", "nothing"]) : pick(random, ["nothing", "nothing", "undo"]),
    cancelAfterMs: random() < 0.2 ? Math.round(random() * 20_000) : null,
    pauseAfterMs: random() < 0.2 ? Math.round(random() * 20_000) : null,
  };
}

export function taskScenarioOf(seed: number): TaskScenario {
  const random = seededRandom(seed * 2 + 1);
  const tasks = Array.from({ length: 1 + Math.floor(random() * 2) }, () => planOf(random));
  return {
    seed,
    workers: 1 + Math.floor(random() * random() * 5),
    tasks,
    edits: Array.from({ length: Math.floor(random() * 4) }, () => ({
      atMs: random() < 0.5 ? null : Math.round(random() * 30_000),
      file: random() < 0.4 ? "shared.txt" : `t${Math.floor(random() * tasks.length)}${pick(random, ["a", "b"])}.txt`,
      place: random() < 0.7 ? "top" : "disputed",
    })),
    saves: Math.floor(random() * 3),
    faults: ratesOf(random, RATES),
    model: ratesOf(random, MODEL_RATES),
    steps: 100 + Math.floor(random() * 400),
  };
}

function* without<T extends object>(rates: T): Generator<T> {
  for (const [kind, rate] of Object.entries(rates)) if (rate > 0) yield { ...rates, [kind]: 0 };
}

/** Everything that is one thing less, the largest first. */
export function* smallerTasks(scenario: TaskScenario): Generator<TaskScenario> {
  const { tasks, edits, faults, model, workers, saves, steps } = scenario;
  if (steps > 20) yield { ...scenario, steps: Math.floor(steps / 2) };
  for (const fewer of without(faults)) yield { ...scenario, faults: fewer };
  for (const fewer of without(model)) yield { ...scenario, model: fewer };
  for (const index of tasks.keys()) if (tasks.length > 1) yield { ...scenario, tasks: tasks.toSpliced(index, 1) };
  if (workers > 1) yield { ...scenario, workers: workers - 1 };
  if (saves > 0) yield { ...scenario, saves: 0 };
  for (const index of edits.keys()) yield { ...scenario, edits: edits.toSpliced(index, 1) };
  for (const [index, task] of tasks.entries()) {
    const less = (change: Partial<TaskPlan>): TaskScenario => ({ ...scenario, tasks: tasks.with(index, { ...task, ...change }) });
    if (task.cancelAfterMs !== null) yield less({ cancelAfterMs: null });
    if (task.pauseAfterMs !== null) yield less({ pauseAfterMs: null });
    for (const at of task.deeds.keys()) yield less({ deeds: task.deeds.toSpliced(at, 1) });
    if (task.afterwards !== "nothing") yield less({ afterwards: "nothing" });
    if (task.tree) yield less({ tree: false, afterwards: "nothing" });
  }
}
