/** Puts requests together from what the rest of the house offers. Opened on first use. */
import type { FlowApi, FlowParts } from "../flow/index.ts";
import type { Questions, Store } from "../journal/index.ts";
import { once, type Clock, type Log } from "../kernel/index.ts";
import type { StepEngine, TaskApi, TaskTrees } from "../step/index.ts";
import type { Config } from "./config-schema.ts";

export interface FlowWiring {
  existing: () => Promise<Store | undefined>;
  store: () => Promise<Store>;
  screen: (text: string) => Promise<string>;
  projectDir: string;
  tasks: TaskApi;
  engine: () => Promise<StepEngine>;
  trees: TaskTrees;
  questions: Questions;
  clock: Clock;
  log: Log;
  config: () => Pick<Config, "team" | "worktree">;
  health: FlowParts["health"];
}

export function wireFlow({
  existing,
  store,
  screen,
  projectDir,
  tasks,
  engine,
  trees,
  questions,
  clock,
  log,
  config,
  health,
}: FlowWiring): () => Promise<FlowApi> {
  const flow = once(async () => {
    const { createFlowApi } = await import("../flow/index.ts");
    return createFlowApi({
      existing,
      screen,
      projectDir,
      seats: () => config().team.seats,
      parts: async () => {
        const { team: now, worktree } = config();
        return {
          store: await store(),
          tasks,
          engine,
          trees: trees.shared,
          taskTrees: trees,
          questions,
          clock,
          log,
          health,
          limits: {
            writers: now.writers,
            attempts: now.attempts,
            repairs: now.repairs,
            secondTry: now.second_try,
            phaseMs: now.phase_timeout,
            pipelineMs: now.pipeline_timeout,
            mergeMs: now.merge_timeout,
            spawnMs: now.spawn_timeout + (worktree.setup === null ? 0 : worktree.setup_timeout),
            modelMs: now.model_timeout,
            classify: now.classify,
            askBelow: now.ask_below,
          },
        };
      },
    });
  });
  return flow.get;
}
