/** What the flow is given, and the names its runs go by. */
import type { Questions, RunGround, Store } from "../journal/index.ts";
import { SylkError, withDeadline, type Clock, type Log } from "../kernel/index.ts";
import type { StepEngine, TaskApi, TaskTrees } from "../step/index.ts";
import type { Health } from "../knowledge/told/index.ts";
import type { WorkTree } from "../workspace/index.ts";

export interface FlowLimits {
  /** Pieces of work that are built at the same time. */
  writers: number;
  /** Times a piece is built before the user is asked. */
  attempts: number;
  /** How a piece is built for the second time: once, or in several ways of which the best is kept. */
  secondTry: "tactic" | "best_of";
  /** Rounds of repairs of the whole before the user is asked. */
  repairs: number;
  /** How long at most: one phase of a piece, a piece from its beginning to its merge, its turn at the common tree, its tree. */
  phaseMs: number;
  pipelineMs: number;
  mergeMs: number;
  spawnMs: number;
  /** How long a model that cannot be had is asked for again before the user is asked. */
  modelMs: number;
  /** Whether the Guide reads a request first, and below which confidence the user is asked what is meant. */
  classify: boolean;
  askBelow: number;
}

export interface FlowParts {
  store: Store;
  tasks: TaskApi;
  engine: () => Promise<StepEngine>;
  trees: TaskTrees["shared"];
  /** Into the user's folder, and back. */
  taskTrees: Pick<TaskTrees, "merge" | "undo" | "withCopy" | "stands">;
  questions: Questions;
  clock: Clock;
  log: Log;
  /** What is shared between the requests of this process. */
  seats: {
    /** Runs `work` on a seat of the request's, when there is one for it. */
    with<T>(request: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  };
  /** Whether the machine has room for one more piece. */
  hasRoom: () => boolean;
  /** How sound a folder is as it stands; `root`: in a work tree instead of the project. */
  health: (area: string, signal: AbortSignal, root?: string) => Promise<Health>;
  limits: FlowLimits;
}

export const groundOf = ({ store, clock }: Pick<FlowParts, "store" | "clock">): RunGround => ({
  journal: store.journal,
  work: store.work,
  clock,
});

/** Something took longer than its setting lets it. */
export const tooLate = (what: string, ms: number, setting: string): SylkError =>
  new SylkError({
    code: "DEADLINE_PASSED",
    tier: "transient",
    message: `${what} within ${Math.round(ms / 1000)} s`,
    fix: `try again, or allow more: sylk config set ${setting} <duration>`,
  });

/** A tree of a piece or of the whole, made when it is not there. */
export function openTree(
  { trees, clock, limits }: FlowParts,
  id: string,
  base: string | undefined,
  signal: AbortSignal,
): Promise<WorkTree> {
  return withDeadline({ clock, timeoutMs: limits.spawnMs, what: "making its work tree (team.spawn_timeout)", signal }, (until) =>
    trees.open(id, base, until),
  );
}

/** What one request's runs are offered under: nobody takes up another request's work unasked. */
export const kindOf = (request: string): string => `flow/${request}`;
