/** What the flow is given, and the names its runs go by. */
import type { Questions, RunGround, Store } from "../journal/index.ts";
import type { Clock, Log } from "../kernel/index.ts";
import type { StepEngine, TaskApi, TaskTrees } from "../step/index.ts";

export interface FlowLimits {
  /** Pieces of work that are built at the same time. */
  writers: number;
  /** Times a piece is built before the user is asked. */
  attempts: number;
  /** Rounds of repairs of the whole before the user is asked. */
  repairs: number;
  phaseMs: number;
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
  taskTrees: Pick<TaskTrees, "merge" | "withCopy">;
  questions: Questions;
  clock: Clock;
  log: Log;
  limits: FlowLimits;
}

export const groundOf = ({ store, clock }: Pick<FlowParts, "store" | "clock">): RunGround => ({
  journal: store.journal,
  work: store.work,
  clock,
});

/** What one request's runs are offered under: nobody takes up another request's work unasked. */
export const kindOf = (request: string): string => `flow/${request}`;
